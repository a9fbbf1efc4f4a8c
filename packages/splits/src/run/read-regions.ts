/** Reads the rows of splits of HBase regions. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { HBaseTable } from "@cfile/hbase";
import { parseColumnSchema, tableColumns } from "@cfile/hbase/columns";
import type { RegionPiece, RegionSplit } from "../lines/split.js";
import { filesDigest } from "../plan/plan-regions.js";
import type { ReadOptions, RecoverOptions } from "./read-options.js";

/** @throws {CFileError} `E_SOURCE_CHANGED` if the region has changed since the split was planned; as `HBaseTable.scan` */
export async function* readRegion(
  piece: RegionPiece,
  split: RegionSplit,
  options: ReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  const table = requiredTable(options);
  const { region, files } = piece;
  if (!table.regions.some(({ encodedName }) => encodedName === region)) {
    throw changed(region, "no longer exists");
  }
  if ((await filesDigest(await table.files(region))) !== files) {
    throw changed(region, "has other files since the split was planned");
  }
  yield* rowsOf(table, piece, split, options);
}

/**
 * The rows of a region from undamaged blocks.
 *
 * @throws {CFileError} as {@link readRegion}, except for damage and missing files
 */
export async function* recoverRegion(
  piece: RegionPiece,
  split: RegionSplit,
  options: RecoverOptions,
): AsyncGenerator<TableBatch, void, void> {
  await using table = requiredTable(options).recovering();
  yield* rowsOf(table, piece, split, options);
  const { losses } = table;
  options.onRecovered({ kind: "region", region: piece.region, losses });
  options.onLost(losses.length, true);
}

function rowsOf(
  table: HBaseTable,
  { from: startRow, to: stopRow }: RegionPiece,
  { cells, now, timeRange }: RegionSplit,
  { signal }: ReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  return tableColumns(table, parseColumnSchema(cells), { startRow, stopRow, now, timeRange, signal }).rows;
}

function requiredTable({ table }: ReadOptions): HBaseTable {
  if (table === undefined) {
    throw invalidArgument("the split needs table, the HBase table or snapshot", { field: "table" });
  }
  return table;
}

function changed(region: string, what: string): CFileError {
  return new CFileError("E_SOURCE_CHANGED", `region ${region} ${what}`, { path: region, field: "region" });
}
