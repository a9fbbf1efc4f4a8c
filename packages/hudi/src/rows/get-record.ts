/** Looks a record up by its key. */
import { findLocations, type RecordLocation } from "../metadata/record-index.js";
import type { HudiTable } from "../table/hudi-table.js";
import { type HudiScanOptions, scanRows, scanSlices } from "./scan.js";
import type { HudiBatch } from "./slice-rows.js";
import { META, scanColumns } from "./table-schema.js";

/** A record, and its location in the record index. */
export interface FoundRecord {
  /**
   * `undefined` in tables without a record index, and if the index lacks the key. The file group may belong to a write that never
   * completed.
   */
  readonly location: RecordLocation | undefined;
  /** A batch of the record's row; `undefined` when the table has no such row. */
  readonly row: HudiBatch | undefined;
}

/** Options of a lookup. */
export type HudiGetOptions = Pick<HudiScanOptions, "columns" | "signal">;

/**
 * The latest version of a record. With a record index, one file group is read; without one, all file groups whose Bloom filters may contain
 * the key. If several file groups have rows with the key, the row is from one of them; {@link scanRows} with a condition on the key returns
 * all.
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
  const where = { column: META.key, op: "=" as const, value: key };
  const hasIndex = metadata?.has("record_index") === true;
  const location = hasIndex ? (await findLocations(metadata, [key])).get(key) : undefined;
  if (hasIndex && location === undefined) {
    return { location, row: undefined };
  }
  const slices = location === undefined ? [] : await table.slices(location.partition);
  const own = slices.filter(({ fileId }) => fileId === location?.fileId);
  // The index may name a group of a write that never completed; the row is then elsewhere.
  const batches =
    own.length === 0
      ? scanRows(table, { ...options, where, limit: 1 })
      : scanSlices(table, await scanColumns(table, { baseOnly: false }), own, {
          ...options,
          where,
          limit: 1,
        });
  return { location, row: await firstBatch(batches) };
}

async function firstBatch(batches: AsyncIterable<HudiBatch>): Promise<HudiBatch | undefined> {
  for await (const batch of batches) {
    return batch;
  }
  return undefined;
}
