/** Looks a record up by its key. */
import { findLocations, type RecordLocation } from "../metadata/record-index.js";
import type { HudiTable } from "../table/hudi-table.js";
import { type HudiScanOptions, scanRows } from "./scan.js";
import type { HudiBatch } from "./slice-rows.js";
import { META } from "./table-schema.js";

/** A record, and where the record index says it is. */
export interface FoundRecord {
  /** `undefined` in tables without a record index, and when the index does not have the key. */
  readonly location: RecordLocation | undefined;
  /** A batch of the record's row; `undefined` when the table has no such row. */
  readonly row: HudiBatch | undefined;
}

/** Options of a lookup. */
export type HudiGetOptions = Pick<HudiScanOptions, "columns" | "signal">;

/**
 * The latest version of a record. With a record index, one file group is read; without one, all whose Bloom filters may have the key.
 *
 * @param key as in the column `_hoodie_record_key`
 * @throws {CFileError} as scans
 */
export async function getRecord(
  table: HudiTable,
  key: string,
  options: HudiGetOptions = {},
): Promise<FoundRecord> {
  const { metadata } = table;
  const location = metadata?.has("record_index")
    ? (await findLocations(metadata, [key])).get(key)
    : undefined;
  if (metadata?.has("record_index") && location === undefined) {
    return { location, row: undefined };
  }
  const where = { column: META.key, op: "=" as const, value: key };
  const partitions = location === undefined ? undefined : [location.partition];
  for await (const row of scanRows(table, { ...options, where, partitions, limit: 1 })) {
    return { location, row };
  }
  return { location, row: undefined };
}
