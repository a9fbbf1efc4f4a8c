/** Rows of Kudu tables and of Iceberg tables, compared. */
import { join } from "node:path";
import { type IcebergTable, openIcebergTable, readSnapshot } from "@cfile/iceberg";
import { diskTree, fileDirectory } from "@cfile/io/file";
import type { KuduTable } from "@cfile/kudu-dir";
import { linesOfBatches, rowsOf } from "../spark/table-rows.js";

export interface Compared {
  cases: number;
  rows: number;
  readonly failures: string[];
}

export async function openTable(path: string): Promise<IcebergTable> {
  const [data, metadata] = await Promise.all(
    ["data", "metadata"].map((name) => fileDirectory(join(path, name), { create: true })),
  );
  const dataTree = await diskTree(join(path, "data"));
  const table = data && metadata && (await openIcebergTable({ data, dataTree, metadata, location: path }));
  if (table === undefined) {
    throw new Error(`${path}: no table`);
  }
  return table;
}

export async function currentSnapshot(path: string): Promise<bigint> {
  const { metadata } = await openTable(path);
  if (metadata.current === undefined) {
    throw new Error(`${path}: no snapshot`);
  }
  return metadata.current.id;
}

export async function kuduLines(
  { tablets }: KuduTable,
  asOf: bigint | undefined,
  withLog = true,
): Promise<string[]> {
  const lines: string[] = [];
  for (const tablet of tablets) {
    lines.push(...(await linesOfBatches(tablet.scan({ asOf, withLog }))));
  }
  return lines;
}

/** The rows that cfile reads at a snapshot; default: the current one. */
export async function linesAt(path: string, snapshotId?: bigint): Promise<string[]> {
  const table = await openTable(path);
  const snapshot = table.metadata.snapshots.find(({ id }) => id === snapshotId) ?? table.metadata.current;
  const lines: string[] = [];
  for (const file of (await readSnapshot(table, snapshot)).files) {
    lines.push(...(await linesOfBatches(file.rows())));
  }
  return lines;
}

/** @param isExact whether NaN must have the same bits: Spark has only one NaN, and writes it for all */
export async function compare(
  result: Compared,
  what: string,
  expected: readonly string[],
  read: () => Promise<readonly string[]>,
  isExact = false,
): Promise<void> {
  const linesOf = (lines: readonly string[]): string[] => (isExact ? [...lines] : lines.map(withOneNan));
  const wanted = rowsOf(linesOf(expected));
  result.cases++;
  result.rows += wanted.rows;
  try {
    const found = rowsOf(linesOf(await read()));
    if (found.digest !== wanted.digest) {
      result.failures.push(`${what}: ${found.rows} rows, expected ${wanted.rows}, or other cells`);
    }
  } catch (error) {
    result.failures.push(`${what}: ${String(error)}`);
  }
}

/** Floats are the only cells in hexadecimal digits without a prefix. */
function withOneNan(line: string): string {
  const cells = line.split("\t").map((cell) => {
    const isNan =
      /^[7f]ff(?!0{13})[0-9a-f]{13}$/.test(cell) || /^[7f]f(?!80{5})[89a-f][0-9a-f]{5}$/.test(cell);
    return isNan ? `nan${cell.length}` : cell;
  });
  return cells.join("\t");
}
