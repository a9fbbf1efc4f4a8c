/**
 * Scans a range of rows and counts them, once per message: in this thread ("alone"), in the two workers of a pool ("map"), or in this
 * thread with the batches of such a pool ("scan"). Answers with the number of rows. The first message comes when the code is compiled.
 */
import { MemoryArena } from "@cfile/bytes";
import { createWorkerPool } from "@cfile/workers";
import { openCFile, type Range } from "cfile";
import { countRows } from "./count-rows.js";

const [path = "", mode = "alone"] = process.argv.slice(2);
/** Each thread compiles the code for itself. In a pool, it sees half of the rows and therefore needs twice as many scans. */
const WARM_UP = mode === "alone" ? 20 : 40;
const pool = createWorkerPool({ workers: 2 });

async function countAlone(rows?: Range<number>): Promise<number> {
  const file = await openCFile(path);
  try {
    return await countRows(file.scan({ rows, arena: new MemoryArena() }));
  } finally {
    await file.close();
  }
}

async function countInWorkers(rows?: Range<number>): Promise<number> {
  const module = new URL("./count-rows.js", import.meta.url);
  let count = 0;
  for await (const part of pool.map<typeof countRows>(path, { module, name: "countRows", rows })) {
    count += part;
  }
  return count;
}

function scan(rows?: Range<number>): Promise<number> {
  switch (mode) {
    case "alone":
      return countAlone(rows);
    case "map":
      return countInWorkers(rows);
    case "scan":
      return countRows(pool.scan(path, { rows, reuseMemory: true }));
    default:
      throw new Error(`unknown mode: ${mode}`);
  }
}

for (let i = 0; i < WARM_UP; i++) {
  await scan();
}
process.on("message", async (rows: Range<number>) => process.send?.(await scan(rows)));
process.once("disconnect", () => pool.close());
process.send?.("ready");
