/** Spark reads arrays from golden CFiles of Kudu that cfile has converted to Iceberg tables. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tableOfFiles } from "@cfile/format";
import { openCFile } from "cfile";
import { cfileOutput } from "../kudu/cfile-command.js";
import { linesOfBatches } from "../spark/table-rows.js";

const GOLDEN = fileURLToPath(new URL("../../../../fixtures/golden/", import.meta.url));
const FILES = [
  "array_binary_plain",
  "array_bool_plain",
  "array_date_plain",
  "array_dict_overflow",
  "array_double_bshuf",
  "array_float_plain",
  "array_int16_rle",
  "array_int32_bshuf",
  "array_int64_plain",
  "array_int8_plain",
  "array_unixtime_micros_rle",
  "array_varchar_prefix",
] as const;

export interface ArrayTable {
  readonly name: string;
  readonly lines: readonly string[];
}

/** @param warehouse gets the tables, in the namespace `arrays` */
export async function arrayTables(warehouse: string): Promise<ArrayTable[]> {
  await mkdir(join(warehouse, "arrays"), { recursive: true });
  const tables: ArrayTable[] = [];
  for (const name of FILES) {
    const path = join(GOLDEN, `${name}.cfile`);
    await cfileOutput(["convert", path, join(warehouse, "arrays", name), "--to", "iceberg"]);
    const file = await openCFile(path);
    tables.push({ name: `arrays.${name}`, lines: await linesOfBatches(tableOfFiles({ [name]: file }).rows) });
    await file.close();
  }
  return tables;
}
