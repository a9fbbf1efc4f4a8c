/**
 * The Iceberg partitions of a table whose Kudu tablets have ranges: the finest transform of the first range column that gives one value for
 * each range with two bounds.
 *
 * | ranges of a column | transform |
 * | --- | --- |
 * | single values | `identity` |
 * | integers, starting at multiples of the range size | `truncate` |
 * | whole hours, days, months or years | `hour`, `day`, `month`, `year` |
 *
 * Files of other ranges are unpartitioned.
 */
import type { DataType } from "@cfile/encodings";
import { decodeKey } from "@cfile/encodings/keys";
import {
  type IcebergFile,
  type IcebergSchema,
  isInPartition,
  type PartitionField,
  type PartitionValue,
  partitionValue,
} from "@cfile/iceberg";
import { type KuduColumn, rangeEnd, rangeStart, type Superblock } from "@cfile/kudu-dir/catalog";

/** The fields of a tablet that determine its partition. */
export interface RangedTablet {
  readonly superblock: Pick<Superblock, "partition" | "partitionSchema" | "schema">;
}

/** The range of a tablet: values of its first range column, both inclusive. */
interface ValueRange {
  readonly column: KuduColumn;
  readonly low: PartitionValue;
  readonly high: PartitionValue;
}

/** Bytes of integers in keys. */
const WIDTHS: Readonly<Partial<Record<DataType, number>>> = {
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  DATE: 4,
  UNIXTIME_MICROS: 8,
};
const TIMES: Readonly<Partial<Record<DataType, readonly string[]>>> = {
  DATE: ["month", "year"],
  UNIXTIME_MICROS: ["hour", "day", "month", "year"],
};
/** The largest width of `truncate` that all readers support. */
const MAX_WIDTH = 2n ** 31n - 1n;

/** The field of the table's partition spec; `undefined` if no transform fits, or the table lacks the column. */
export function partitionFieldOf(
  tablets: readonly RangedTablet[],
  schema: IcebergSchema,
): PartitionField | undefined {
  const ranges = tablets.flatMap((tablet) => rangeOf(tablet) ?? []);
  const column = ranges[0]?.column;
  const field = schema.fields.find(({ id }) => id === column?.id);
  if (column === undefined || typeof field?.type !== "string") {
    return undefined;
  }
  const { type } = field;
  const transform = transformsOf(column.type, ranges).find((one) =>
    ranges.every(({ low, high }) => partitionValue({ transform: one }, type, low, high) !== undefined),
  );
  if (transform === undefined) {
    return undefined;
  }
  const names = schema.fields.map((one) => one.name);
  const [suffix] = transform.split("[");
  let name = transform === "identity" ? field.name : `${field.name}_${suffix}`;
  while (transform !== "identity" && names.includes(name)) {
    name += "_";
  }
  return { sourceId: field.id, transform, name };
}

/** The file with its partition, if its tablet's range is one partition and its statistics confirm it. */
export function partitionedFile(
  file: IcebergFile,
  tablet: RangedTablet | undefined,
  field: PartitionField | undefined,
  schema: IcebergSchema,
): IcebergFile {
  const range = tablet && rangeOf(tablet);
  const type = schema.fields.find(({ id }) => id === field?.sourceId)?.type;
  const column = file.columns.find(({ id }) => id === field?.sourceId);
  if (field === undefined || range?.column.id !== field.sourceId || typeof type !== "string") {
    return file;
  }
  const value = partitionValue(field, type, range.low, range.high);
  const isIn = value !== undefined && column !== undefined && isInPartition(field, value, schema, column);
  return isIn ? { ...file, partition: [value] } : file;
}

function transformsOf(type: DataType, ranges: readonly ValueRange[]): readonly string[] {
  if (type === "STRING" || type === "VARCHAR" || TIMES[type] !== undefined) {
    return ["identity", ...(TIMES[type] ?? [])];
  }
  const sizes = ranges.map(({ low, high }) => BigInt(high) - BigInt(low) + 1n);
  const largest = sizes.sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 1n;
  return largest <= MAX_WIDTH ? ["identity", `truncate[${largest}]`] : [];
}

/** @returns `undefined` for a range without two bounds, and for a range of more than one string */
function rangeOf({ superblock }: RangedTablet): ValueRange | undefined {
  const { partition, partitionSchema, schema } = superblock;
  const ids =
    partitionSchema?.rangeColumnIds ?? schema.columns.filter(({ isKey }) => isKey).map(({ id }) => id);
  const column = schema.columns.find(({ id }) => id === ids[0]);
  const [start, end] = [rangeStart(partition), rangeEnd(partition)];
  if (column === undefined || start.length === 0 || end.length === 0) {
    return undefined;
  }
  const width = WIDTHS[column.type];
  if (width !== undefined) {
    if (start.length < width || end.length < width) {
      return undefined;
    }
    const [low, after] = [start, end].map((key) => BigInt(integerOf(column.type, key.subarray(0, width))));
    if (low === undefined || after === undefined) {
      return undefined;
    }
    // If the other columns are at their minimum, no row with the last value is in the range.
    const high = end.subarray(width).every((byte) => byte === 0) ? after - 1n : after;
    const value = (integer: bigint): PartitionValue => (width === 8 ? integer : Number(integer));
    return { column, low: value(low), high: value(high) };
  }
  const isText = column.type === "STRING" || column.type === "VARCHAR";
  const isSingle =
    end.length === start.length + 1 && end.at(-1) === 0 && start.every((byte, i) => byte === end[i]);
  const text = isText && isSingle && ids.length === 1 ? textOf(start) : undefined;
  return text === undefined ? undefined : { column, low: text, high: text };
}

function integerOf(type: DataType, key: Uint8Array): number | bigint {
  const value = decodeKey(type, key);
  return value instanceof Uint8Array ? 0 : value;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
