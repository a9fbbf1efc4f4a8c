/**
 * Partition specs (https://iceberg.apache.org/spec/#partitioning). A file has one value per field of its spec, which the field's transform
 * returns for every row of the file:
 *
 * | transform | of | value |
 * | --- | --- | --- |
 * | `identity` | int, long, date, timestamptz, string | the value itself |
 * | `truncate[W]` | int, long | the multiple of W at or below it |
 * | `year`, `month` | date, timestamptz | since 1970, int |
 * | `day`, `hour` | timestamptz | since 1970, date and int |
 *
 * `bucket` is not supported, because Kudu uses a different hash function.
 */
import { compareBytes, fromHex, toHex, utf8Bytes } from "@cfile/bytes";
import type { MetadataJson } from "../metadata/metadata-json.js";
import type { IcebergSchema } from "./iceberg-schema.js";
import { serializedValue } from "./single-value.js";

/** A field of a partition spec. */
export interface PartitionField {
  /** ID of a column. */
  readonly sourceId: number;
  readonly transform: string;
  readonly name: string;
}

/** A spec with fields. */
export interface PartitionSpec {
  readonly id: number;
  readonly fields: readonly PartitionField[];
}

/** A value of a column or of a partition: days of dates and integers as numbers, longs and microseconds as bigint. */
export type PartitionValue = number | bigint | string;

/** ID of the first field of all specs. */
export const FIRST_FIELD_ID = 1000;
const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;
const DAY_MILLISECONDS = 86_400_000;
/** Types whose values partitions can have. */
const TYPES: readonly string[] = ["int", "long", "date", "timestamptz", "string"];

/**
 * The value of the partition that contains all values of a column from `low` to `high`, both inclusive; `undefined` if no partition
 * contains them all, or the transform is not supported for the type.
 *
 * @param type of the column, as in the schema
 */
export function partitionValue(
  { transform }: Pick<PartitionField, "transform">,
  type: string,
  low: PartitionValue,
  high: PartitionValue,
): PartitionValue | undefined {
  const first = transformed(transform, type, low);
  return first === transformed(transform, type, high) ? first : undefined;
}

function transformed(transform: string, type: string, value: PartitionValue): PartitionValue | undefined {
  if (transform === "identity") {
    return TYPES.includes(type) ? value : undefined;
  }
  if (typeof value === "string") {
    return undefined;
  }
  const [, width] = /^truncate\[([1-9]\d{0,9})\]$/.exec(transform) ?? [];
  if (width !== undefined && (type === "int" || type === "long")) {
    const multiple = floorDivide(BigInt(value), BigInt(width)) * BigInt(width);
    return type === "int" ? Number(multiple) : multiple;
  }
  if (type !== "date" && type !== "timestamptz") {
    return undefined;
  }
  const days = type === "date" ? Number(value) : Number(floorDivide(BigInt(value), DAY));
  const date = new Date(days * DAY_MILLISECONDS);
  const years = date.getUTCFullYear() - 1970;
  switch (transform) {
    case "year":
      return numberOrNone(years);
    case "month":
      return numberOrNone(12 * years + date.getUTCMonth());
    case "day":
      return type === "timestamptz" ? days : undefined;
    case "hour":
      return type === "timestamptz" ? Number(floorDivide(BigInt(value), HOUR)) : undefined;
    default:
      return undefined;
  }
}

/** JavaScript's dates have a smaller range than 64-bit timestamps. */
function numberOrNone(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** The type of a field's values; `undefined` for columns that partitions cannot have. */
export function partitionType(
  { sourceId, transform }: PartitionField,
  { fields }: IcebergSchema,
): string | undefined {
  const type = fields.find(({ id }) => id === sourceId)?.type;
  if (typeof type !== "string" || !TYPES.includes(type)) {
    return undefined;
  }
  // Iceberg's own writer states `date`.
  return transform === "day" ? "date" : ["year", "month", "hour"].includes(transform) ? "int" : type;
}

/** The value, serialized as in bounds but never truncated. */
export function serializedPartition(type: string, value: PartitionValue): Uint8Array {
  return typeof value === "string" ? utf8Bytes(value) : serializedValue(type, value);
}

/** In the order of Iceberg, which is that of UTF-8 for text. */
export function comparePartitions(a: PartitionValue, b: PartitionValue): number {
  if (typeof a === "string" && typeof b === "string") {
    return compareBytes(utf8Bytes(a), utf8Bytes(b));
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Whether the statistics of a file show that all of its rows are in a partition, which they never do for text of more than 16 characters.
 *
 * @param column bounds in hexadecimal digits
 */
export function isInPartition(
  field: PartitionField,
  value: PartitionValue,
  schema: IcebergSchema,
  { lower, upper }: { readonly lower?: string | undefined; readonly upper?: string | undefined },
): boolean {
  const type = schema.fields.find(({ id }) => id === field.sourceId)?.type;
  if (typeof type !== "string" || lower === undefined || upper === undefined) {
    return false;
  }
  if (typeof value === "string") {
    const whole = toHex(utf8Bytes(value));
    return lower === whole && upper === whole;
  }
  const [low, high] = [integerAt(fromHex(lower)), integerAt(fromHex(upper))];
  return low !== undefined && high !== undefined && partitionValue(field, type, low, high) === value;
}

function integerAt(bytes: Uint8Array): PartitionValue | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return bytes.length === 4
    ? view.getInt32(0, true)
    : bytes.length === 8
      ? view.getBigInt64(0, true)
      : undefined;
}

/** The fields of a spec as JSON. */
export function fieldsJson(fields: readonly PartitionField[]): MetadataJson[] {
  return fields.map(({ sourceId, transform, name }, i) => ({
    "source-id": sourceId,
    "field-id": FIRST_FIELD_ID + i,
    name,
    transform,
  }));
}
