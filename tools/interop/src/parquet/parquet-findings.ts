/** The smallest files that show bugs in other Parquet readers and writers: `pnpm interop --findings`. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openParquet } from "@cfile/parquet";
import { removedAtEnd } from "../processes.js";
import { Random } from "../random.js";
import { copyByDuckDb, readByDuckDb } from "./duckdb-rows.js";
import { type RandomTable, writeOurs } from "./random-table.js";

const WHOLE: RandomTable = {
  columns: [{ name: "c", type: "INT64", nullable: false }],
  rows: ["1", "2", "3", "4"],
};
const ZEROS: RandomTable = {
  columns: [{ name: "c", type: "DOUBLE", nullable: false }],
  rows: Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? "0000000000000000" : "8000000000000000")),
};

/** Prints DuckDB's result for each file. */
export async function showParquetFindings(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "cfile-interop-finding-"));
  const keep = removedAtEnd(folder);
  const bytes = (await writeOurs(new Random(1), WHOLE, "UNCOMPRESSED")).bytes.slice();
  const stored = new Uint8Array(new BigInt64Array([2n]).buffer);
  const at = Buffer.from(bytes).indexOf(stored);
  bytes[at] = 66;
  const path = join(folder, "flipped.parquet");
  await writeFile(path, bytes);
  const { losses } = await openParquet(bytes).then((file) => file.verify());
  const [loss] = losses;
  console.log(
    [
      "parquet: a bit of a value is flipped in a page with a checksum",
      `DuckDB reads ${(await readByDuckDb(path, WHOLE.columns)).join(" ")}`,
      `cfile finds ${loss?.error.code} in page ${loss?.page} of column ${loss?.column}`,
    ].join("\n  "),
  );
  const source = join(folder, "zeros.parquet");
  await writeFile(source, (await writeOurs(new Random(1), ZEROS, "UNCOMPRESSED")).bytes);
  await copyByDuckDb(source, join(folder, "copy.parquet"), { codec: "uncompressed" });
  const count = async (file: string): Promise<number> =>
    (await readByDuckDb(file, ZEROS.columns)).filter((row) => row.startsWith("8")).length;
  console.log(
    [
      "parquet: a column of 0.0 and -0.0 is copied by DuckDB",
      `${await count(source)} rows of 100 are -0.0, in the copy ${await count(join(folder, "copy.parquet"))}`,
    ].join("\n  "),
  );
  keep();
  await rm(folder, { recursive: true, force: true });
}
