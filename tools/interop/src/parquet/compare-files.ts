/** Compares rows of Parquet files: as written, as read by cfile, and as read by other systems. */
import { openParquet } from "@cfile/parquet";
import { DriverError, type JavaDriver } from "../java-driver.js";
import { cellTexts } from "../kudu/compare/compare-rows.js";
import type { RandomTable } from "./random-table.js";

/** Problems found by verifying and reading a file with cfile. */
export async function compareOurReading(
  name: string,
  bytes: Uint8Array,
  table: RandomTable,
): Promise<string[]> {
  try {
    const { ok, losses } = await openParquet(bytes).then((file) => file.verify());
    const told = ok ? [] : [`${name}: ${losses[0]?.error.message}`];
    return [...told, ...rowDifference(name, table.rows, await ourRows(bytes))];
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
}

export async function ourRows(bytes: Uint8Array): Promise<string[]> {
  const rows: string[] = [];
  for await (const { columns, length } of (await openParquet(bytes)).scan()) {
    const cells = columns.map(cellTexts);
    for (let row = 0; row < length; row++) {
      rows.push(cells.map((column) => column[row]).join("\t"));
    }
  }
  return rows;
}

/** The rows from a driver, or the reason why it returns none. */
export async function answered(
  driver: JavaDriver,
  path: string,
  ...options: readonly number[]
): Promise<string[]> {
  try {
    return await driver.ask(["read", path, ...options]);
  } catch (error) {
    if (error instanceof DriverError) {
      return [error.message];
    }
    throw error;
  }
}

export function rowDifference(name: string, wanted: readonly string[], found: readonly string[]): string[] {
  const at = wanted.findIndex((row, i) => row !== found[i]);
  if (at === -1 && wanted.length === found.length) {
    return [];
  }
  const row = at === -1 ? wanted.length : at;
  return [
    `${name}: row ${row} of ${wanted.length}, ${found.length}: expected ${wanted[row]?.slice(0, 200)}, found ${found[row]?.slice(0, 200)}`,
  ];
}
