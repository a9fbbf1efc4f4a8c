/** Commands on a Kudu table, each in a new process, from start to end. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { loadRowSets, loadSchema, loneReplica, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { cfile } from "../../machine/split-processes.js";
import { WrongAnswer } from "../../measure.js";
import { type Measured, measured, taskTimes } from "./task-times.js";

const TURNS = 7;
const TABLE_ROWS = 48_000_000;
const FLUSH_ROWS = 1_000_000;

async function createTable(path: string, rows: number, flushes: number): Promise<void> {
  const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 26 });
  const rowSets = loadRowSets(rows, flushes, 0);
  await server.add({ table: "load", schema: loadSchema, rowSets, replica: loneReplica });
  await server.finish();
}

export async function measureTable(folder: string, scale: number): Promise<Measured[]> {
  const half = Math.ceil((TABLE_ROWS * scale) / 2);
  const tables = {
    whole: { path: join(folder, "whole"), rows: 2 * half },
    half: { path: join(folder, "half"), rows: half },
  };
  const flushes = TABLE_ROWS / FLUSH_ROWS;
  await createTable(tables.whole.path, tables.whole.rows, flushes);
  await createTable(tables.half.path, tables.half.rows, flushes / 2);
  const runCommand = async (args: readonly string[], expected: string): Promise<void> => {
    const output = await cfile(["kudu", ...args, "--json"]);
    if (!output.includes(expected)) {
      throw new WrongAnswer(`cfile kudu ${args.join(" ")}: no ${expected} in ${output}`);
    }
  };
  const check = (part: "whole" | "half", threads: number): Promise<void> => {
    const { path, rows } = tables[part];
    return runCommand(["check", path, "-j", `${threads}`], `"live_rows": ${rows},`);
  };
  const exportTable = async (part: "whole" | "half", threads: number, copy: number): Promise<void> => {
    const { path, rows } = tables[part];
    const target = join(folder, `${copy}.parquet`);
    await rm(target, { force: true });
    await runCommand(
      ["export", path, "--table", "load", "-j", `${threads}`, "-o", target],
      `"rows":${rows},`,
    );
  };
  const turns = scale < 0.5 ? 1 : TURNS;
  const checks = await taskTimes({
    turns,
    pool: () => check("whole", 2),
    alone: (part) => check(part, 1),
  });
  const exports = await taskTimes({
    turns,
    pool: () => exportTable("whole", 2, 0),
    alone: (part, copy) => exportTable(part, 1, copy),
  });
  const { rows } = tables.whole;
  return [measured("kudu check", rows, checks), measured("kudu export", rows, exports)];
}
