/**
 * Skips file slices without rows that meet conditions, by column statistics and Bloom filters. The record index does not help: it has one
 * file group per key, but inserts can add rows with the same key to other groups, and so can writes of tables whose keys are unique only
 * within a partition.
 */
import { utf8Bytes } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { type Condition, type Conditions, conditionList } from "@cfile/encodings/conditions";
import { hudiBloomLookup } from "@cfile/hfile";
import type { WrappedValue } from "../log/wrapped-value.js";
import { bloomFilters } from "../metadata/bloom-filters.js";
import { type ColumnStats, columnStats } from "../metadata/column-stats.js";
import type { MetadataTable } from "../metadata/metadata-table.js";
import type { FileSlice } from "../slices/file-slices.js";
import type { HudiColumn } from "./column-type.js";
import { META } from "./table-schema.js";

/** Inputs for pruning. */
export interface PruneSettings {
  readonly where: Conditions | undefined;
  /** The columns of the table. */
  readonly columns: readonly HudiColumn[];
  /** Whether log files are ignored. */
  readonly baseOnly: boolean;
}

/** The slices that may have matching rows. @throws {CFileError} for a damaged metadata table */
export async function pruneSlices(
  metadata: MetadataTable,
  slices: readonly FileSlice[],
  { where, columns, baseOnly }: PruneSettings,
): Promise<readonly FileSlice[]> {
  const conditions = conditionList(where);
  const keys = requiredKeys(conditions);
  // Logs can have rows that the base file's statistics and filter do not cover.
  const isBase = (slice: FileSlice): slice is BaseSlice =>
    slice.baseFile !== undefined && (baseOnly || slice.logFiles.length === 0);
  const skipped = new Set<FileSlice>();
  for (const partition of new Set(slices.map((slice) => slice.partition))) {
    const own = slices.filter(isBase).filter((slice) => slice.partition === partition);
    for (const slice of await skippedSlices(metadata, partition, own, { conditions, columns, keys })) {
      skipped.add(slice);
    }
  }
  return slices.filter((slice) => !skipped.has(slice));
}

/** A slice whose rows are all in its base file. */
type BaseSlice = FileSlice & { readonly baseFile: string };

interface Requirements {
  readonly conditions: readonly Condition[];
  readonly columns: readonly HudiColumn[];
  readonly keys: readonly string[] | undefined;
}

async function skippedSlices(
  metadata: MetadataTable,
  partition: string,
  slices: readonly BaseSlice[],
  { conditions, columns, keys }: Requirements,
): Promise<FileSlice[]> {
  const files = slices.map(({ baseFile }) => baseFile);
  const skipped: FileSlice[] = [];
  if (metadata.has("column_stats")) {
    const tested = conditions.flatMap((condition) => {
      const own = columns.find(({ name }) => name === condition.column);
      return own !== undefined && hasComparableBounds(own) ? { condition, own } : [];
    });
    const names = [...new Set(tested.map(({ own }) => own.name))];
    const stats = await columnStats(metadata, partition, files, names);
    skipped.push(
      ...slices.filter(({ baseFile }) =>
        tested.some(({ condition, own }) => excludes(stats.get(baseFile)?.get(own.name), condition, own)),
      ),
    );
  }
  if (keys !== undefined && metadata.has("bloom_filters")) {
    const filters = await bloomFilters(metadata, partition, files);
    for (const slice of slices) {
      const filter = filters.get(slice.baseFile);
      const mayContain = filter && hudiBloomLookup(filter);
      if (mayContain !== undefined && !keys.some((key) => mayContain(utf8Bytes(key)))) {
        skipped.push(slice);
      }
    }
  }
  return skipped;
}

/** The record keys that conditions allow; `undefined` if they allow all keys. */
function requiredKeys(conditions: readonly Condition[]): string[] | undefined {
  const condition = conditions.find(({ column, op }) => column === META.key && (op === "=" || op === "in"));
  const values: readonly CellValue[] =
    condition?.op === "in" ? condition.values : condition?.op === "=" ? [condition.value] : [];
  const keys = values.filter((value) => typeof value === "string");
  return condition === undefined || keys.length < values.length ? undefined : keys;
}

/** Whether bounds have the unit of the column. Bounds of decimals and milliseconds may have another unit, that of the file. */
function hasComparableBounds({ scalar }: HudiColumn): boolean {
  return scalar !== undefined && scalar.scale === undefined && scalar.unit === undefined;
}

/** Whether no row of a file can meet a condition. */
function excludes(stats: ColumnStats | undefined, condition: Condition, { scalar }: HudiColumn): boolean {
  if (stats === undefined) {
    return false;
  }
  if (condition.op === "isNull") {
    return stats.nullCount === 0 && stats.valueCount > 0;
  }
  const [min, max] = [comparable(stats.min), comparable(stats.max)];
  if (min === undefined || max === undefined || !isOutside(condition, min, max)) {
    return false;
  }
  const mayBeMillis =
    scalar?.type === "UNIXTIME_MICROS" &&
    [min, max].every((bound) => isLess(bound, END) && isLess(-END, bound));
  const inMicros = (millis: Comparable): bigint => 1000n * BigInt(Math.trunc(Number(millis)));
  return !mayBeMillis || isOutside(condition, inMicros(min), inMicros(max));
}

/** The year 10000 in milliseconds. A file with smaller bounds may have milliseconds even if the column has microseconds. */
const END = 253_402_300_800_000;

function isOutside(condition: Condition, min: Comparable, max: Comparable): boolean {
  const outside = (value: CellValue): boolean => isLess(value, min) || isLess(max, value);
  switch (condition.op) {
    case "=":
      return outside(condition.value);
    case "in":
      return condition.values.every(outside);
    case "<":
      return isLess(condition.value, min) || isSame(condition.value, min);
    case "<=":
      return isLess(condition.value, min);
    case ">":
      return isLess(max, condition.value) || isSame(condition.value, max);
    case ">=":
      return isLess(max, condition.value);
    default:
      return false;
  }
}

type Comparable = number | bigint | string;

/** Wrappers whose values can be compared directly. Decimals have different scales in different versions. */
const PLAIN = [
  "IntWrapper",
  "LongWrapper",
  "FloatWrapper",
  "DoubleWrapper",
  "DateWrapper",
  "TimestampMicrosWrapper",
];

function comparable(bound: WrappedValue | undefined): Comparable | undefined {
  if (bound === undefined) {
    return undefined;
  }
  const { value, wrapper } = bound;
  if (typeof value === "string") {
    return isPlainText(value) ? value : undefined;
  }
  const isNumber = typeof value === "bigint" || (typeof value === "number" && !Number.isNaN(value));
  return isNumber && PLAIN.includes(wrapper) ? value : undefined;
}

/** Whether text has the same order in UTF-16 as in UTF-8. */
function isPlainText(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text);
}

function isLess(a: CellValue, b: CellValue): boolean {
  if (typeof a === "string" && typeof b === "string") {
    return isPlainText(a) && isPlainText(b) && a < b;
  }
  return isNumber(a) && isNumber(b) && a < b;
}

/** Whether two numbers are equal. */
function isSame(a: CellValue, b: CellValue): boolean {
  return isNumber(a) && isNumber(b) && a <= b && a >= b;
}

function isNumber(value: CellValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
