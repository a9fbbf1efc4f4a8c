/** The cells of one row at a timestamp: base data, one block a column, and the row's changes. */
import { isNeededForSnapshot } from "@cfile/deltafile";
import type { CellOptions, CellValue } from "@cfile/encodings";
import { RowTimeline } from "../delta/row-timeline.js";
import { columnsNamed } from "../schema/named-columns.js";
import type { RowSetColumn } from "../schema/schema.js";
import { missingCell } from "./base-column.js";
import type { RowCells } from "./row-batch.js";
import type { RowSetParts } from "./row-set-parts.js";
import { checkAsOf, type ReadOptions } from "./scan-options.js";

/** Which cells of a row are read, as of when, and what JavaScript values they become. */
export interface LookUpOptions extends ReadOptions, CellOptions {}

/** The row's cells; `undefined` when it is not there at that time. */
export async function rowCells(
  parts: RowSetParts,
  row: number,
  options: LookUpOptions,
): Promise<RowCells | undefined> {
  const asOf = checkAsOf(options.asOf);
  const columns = columnsNamed(parts.schema, options.columns);
  const names = columns.map(({ name }) => name);
  if (await isUnchanged(parts, asOf)) {
    return {
      row,
      names,
      cells: await Promise.all(columns.map((column) => baseCell(parts, column, row, options))),
    };
  }
  const timeline = await RowTimeline.read(parts, row, columns, options, asOf);
  if (!timeline.isAlive(asOf)) {
    return undefined;
  }
  const cells = await Promise.all(
    columns.map((column) => {
      const changed = timeline.cell(column, asOf, options);
      return changed === undefined ? baseCell(parts, column, row, options) : changed;
    }),
  );
  return { row, names, cells };
}

/** Whether no delta file has anything to do with the state at `asOf`: most latest states of most row sets. */
async function isUnchanged(parts: RowSetParts, asOf: bigint): Promise<boolean> {
  return (
    parts.options.trustStatistics !== false &&
    (await parts.deltas()).every(({ kind, reader }) => !isNeededForSnapshot(kind, reader.statistics, asOf))
  );
}

/** What the base data say; a default or null where there are none. */
export async function baseCell(
  parts: RowSetParts,
  column: RowSetColumn,
  row: number,
  options: LookUpOptions,
): Promise<CellValue> {
  if (!parts.hasColumn(column)) {
    return missingCell(column).get(0, options) ?? null;
  }
  return (await parts.column(column)).get(row, options);
}
