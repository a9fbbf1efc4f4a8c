/** Reads the cells of one row in a snapshot: one block of base data per column, and the row's changes. */
import { isNeededForSnapshot } from "@cfile/deltafile";
import type { CellOptions, CellValue } from "@cfile/encodings";
import { RowTimeline } from "../delta/row-timeline.js";
import { columnsNamed, type RowSetColumn } from "../schema/schema.js";
import { missingCell } from "./base-column.js";
import type { RowSetParts } from "./row-set-parts.js";
import { checkAsOf, type ReadOptions } from "./scan-options.js";

/** One row. */
export interface RowCells {
  /** The row's number in its row set. */
  readonly row: number;
  readonly names: readonly string[];
  readonly cells: readonly CellValue[];
}

/** Which cells of a row are read, as of when, and which JavaScript values they become. */
export interface LookUpOptions extends ReadOptions, CellOptions {}

/** The cells of a row; `undefined` when the row does not exist at that time. */
export async function rowCells(
  parts: RowSetParts,
  row: number,
  options: LookUpOptions,
): Promise<RowCells | undefined> {
  const asOf = checkAsOf(options.asOf);
  const columns = columnsNamed(parts.schema, options.columns);
  const names = columns.map(({ name }) => name);
  const timeline = (await isUnchanged(parts, asOf))
    ? undefined
    : await RowTimeline.read(parts, row, columns, options, asOf);
  if (timeline?.isLive(asOf) === false) {
    return undefined;
  }
  const cells = columns.map((column) => {
    const changed = timeline?.cell(column, asOf, options);
    return changed === undefined ? baseCell(parts, column, row, options) : changed;
  });
  return { row, names, cells: await Promise.all(cells) };
}

/** Whether no delta file can affect the snapshot at `asOf`, as in the latest snapshot of most row sets. */
async function isUnchanged(parts: RowSetParts, asOf: bigint): Promise<boolean> {
  return (
    parts.options.trustStatistics !== false &&
    (await parts.deltas()).every(({ kind, reader }) => !isNeededForSnapshot(kind, reader.statistics, asOf))
  );
}

/** The cell in the base data; the default or null if they lack the column. */
export async function baseCell(
  parts: RowSetParts,
  column: RowSetColumn,
  row: number,
  options: LookUpOptions,
): Promise<CellValue> {
  return parts.hasColumn(column)
    ? (await parts.column(column)).get(row, options)
    : (missingCell(column).get(0, options) ?? null);
}
