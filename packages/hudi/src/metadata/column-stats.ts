/** Statistics of columns in files and in partitions (docs/spec/hudi-table.md#7-layout-of-the-metadata-table). */
import type { AvroObject, AvroValue } from "@cfile/avro";
import { type WrappedValue, wrapped } from "../log/wrapped-value.js";
import { countOf, recordOf } from "../timeline/content-fields.js";
import type { MetadataRecord } from "./merge-records.js";
import { columnStatsKey } from "./metadata-keys.js";
import type { MetadataTable } from "./metadata-table.js";

/** Statistics of one column in one file, or in one partition. */
export interface ColumnStats {
  /** `undefined` without values, or if their type has no bounds. */
  readonly min: WrappedValue | undefined;
  readonly max: WrappedValue | undefined;
  readonly valueCount: number;
  readonly nullCount: number;
  readonly totalSize: number;
  readonly totalUncompressedSize: number;
  /** Whether the bounds are values of the column, not only limits. */
  readonly isTightBound: boolean;
}

const RECORD = "ColumnStatsMetadata";

/** Statistics by file and column name. */
export type StatsByFile = ReadonlyMap<string, ReadonlyMap<string, ColumnStats>>;

/** Statistics of columns in files of a partition; files and columns without them are absent. @throws {CFileError} for damage */
export async function columnStats(
  metadata: MetadataTable,
  partition: string,
  files: readonly string[],
  columns: readonly string[],
): Promise<StatsByFile> {
  const keys = new Map<string, readonly [file: string, column: string]>();
  for (const column of columns) {
    for (const file of files) {
      keys.set(columnStatsKey(column, partition, file), [file, column]);
    }
  }
  const stats = new Map<string, Map<string, ColumnStats>>();
  for (const [key, record] of await metadata.find("column_stats", [...keys.keys()])) {
    // Only the requested keys are found.
    const [file, column] = keys.get(key) as readonly [string, string];
    const own = statsOf(record);
    if (own !== undefined) {
      const known = stats.get(file) ?? new Map<string, ColumnStats>();
      stats.set(file, known.set(column, own));
    }
  }
  return stats;
}

/** Statistics of columns in a whole partition, by column. @throws {CFileError} for damage */
export async function partitionStats(
  metadata: MetadataTable,
  partition: string,
  columns: readonly string[],
): Promise<Map<string, ColumnStats>> {
  const keys = new Map(columns.map((column) => [columnStatsKey(column, partition), column]));
  const stats = new Map<string, ColumnStats>();
  for (const [key, record] of await metadata.find("partition_stats", [...keys.keys()])) {
    const own = statsOf(record);
    if (own !== undefined) {
      stats.set(keys.get(key) as string, own);
    }
  }
  return stats;
}

function statsOf(record: MetadataRecord): ColumnStats | undefined {
  const info: AvroObject = recordOf(record[RECORD], RECORD);
  const count = (field: string): number => countOf(info[field], field);
  const bound = (value: AvroValue | undefined): WrappedValue | undefined => wrapped(value);
  return info["isDeleted"] === true
    ? undefined
    : {
        min: bound(info["minValue"]),
        max: bound(info["maxValue"]),
        valueCount: count("valueCount"),
        nullCount: count("nullCount"),
        totalSize: count("totalSize"),
        totalUncompressedSize: count("totalUncompressedSize"),
        isTightBound: info["isTightBound"] === true,
      };
}
