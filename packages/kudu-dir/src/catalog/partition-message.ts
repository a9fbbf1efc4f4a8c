/** `PartitionPB` and `PartitionSchemaPB`: how the rows of a table are divided among tablets (docs/spec/kudu-data-dir.md#7-superblock). */
import { compareBytes, corrupt } from "@cfile/bytes";
import { decodeCell } from "@cfile/deltafile";
import { type KeyValue, lowerBound } from "@cfile/encodings/keys";
import type {
  ColumnIdentifierPB,
  HashBucketSchemaPB,
  PartitionPB,
  PartitionSchemaPB,
} from "../generated/decode.js";
import { type NumberedOperation, numberedOperations } from "../log/row-operations.js";
import type { KuduColumn, KuduSchema } from "./schema-message.js";

const NO_BYTES = new Uint8Array(0);
/** A hash bucket in an encoded partition key: u32, big-endian. */
const BUCKET_BYTES = 4;
/** Numbers of `RowOperationsPB.Type`. */
const LOWER = { inclusive: 6, exclusive: 8 };
const UPPER = { inclusive: 9, exclusive: 7 };

/** The rows of a table that a tablet holds. */
export interface Partition {
  readonly hashBuckets: readonly number[];
  /** The first encoded partition key, inclusive; empty for the first tablet. */
  readonly keyStart: Uint8Array;
  /** Exclusive; empty for the last tablet. */
  readonly keyEnd: Uint8Array;
}

/** Hash partitioning of some columns into buckets. */
export interface HashPartitioning {
  readonly columnIds: readonly number[];
  readonly buckets: number;
  readonly seed: number | undefined;
  /** Number in Kudu's `HashAlgorithm`. */
  readonly algorithm: number | undefined;
}

/** How a table is partitioned. */
export interface PartitionSchema {
  readonly hash: readonly HashPartitioning[];
  /** IDs of the range columns; `undefined` if the message has none. */
  readonly rangeColumnIds: readonly number[] | undefined;
  /** The ranges with their own hash partitioning. */
  readonly customRanges: readonly CustomRange[];
}

/** A range with its own hash partitioning. */
export interface CustomRange {
  readonly hash: readonly HashPartitioning[];
  readonly lower: RangeBound;
  readonly upper: RangeBound;
}

/** A bound, as an encoded key of the range columns; empty if there is no bound. */
export interface RangeBound {
  readonly key: Uint8Array;
  readonly isInclusive: boolean;
}

/** The partition of a tablet; the whole table if there is no message. */
export function partitionOf(message: PartitionPB | undefined): Partition {
  return {
    hashBuckets: message?.hashBuckets ?? [],
    keyStart: message?.partitionKeyStart ?? NO_BYTES,
    keyEnd: message?.partitionKeyEnd ?? NO_BYTES,
  };
}

/**
 * @param schema the table's schema, which encodes the bounds of ranges
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` for invalid bounds
 */
export function partitionSchemaOf(message: PartitionSchemaPB, schema: KuduSchema): PartitionSchema {
  const { hashSchema, rangeSchema, customHashSchemaRanges } = message;
  const rangeColumnIds = rangeSchema && columnIds(rangeSchema.columns);
  const rangeColumns = rangeKeyColumns(schema, rangeColumnIds);
  return {
    hash: hashSchema.map(hashOf),
    rangeColumnIds,
    customRanges: customHashSchemaRanges.map((range) => {
      const { rows = NO_BYTES, indirectData: indirect = NO_BYTES } = range.rangeBounds ?? {};
      const bounds = [...numberedOperations({ schema, rows, indirect })];
      return {
        hash: range.hashSchema.map(hashOf),
        lower: boundOf(bounds, LOWER, rangeColumns),
        upper: boundOf(bounds, UPPER, rangeColumns),
      };
    }),
  };
}

/** The range columns: the key, unless the partition schema names other columns. */
function rangeKeyColumns(schema: KuduSchema, ids: readonly number[] | undefined): KuduColumn[] {
  const { columns } = schema;
  return ids === undefined
    ? columns.filter(({ isKey }) => isKey)
    : ids.flatMap((id) => columns.filter((column) => column.id === id));
}

/** The encoded lower bound of a partition's range; empty if it is unbounded. */
export function rangeStart({ hashBuckets, keyStart }: Partition): Uint8Array {
  return keyStart.subarray(BUCKET_BYTES * hashBuckets.length);
}

/** The encoded upper bound of a partition's range; empty if it is unbounded: the next key is in another bucket. */
export function rangeEnd({ hashBuckets, keyEnd }: Partition): Uint8Array {
  // The start key of the first tablet can be empty, without its buckets.
  const buckets = new Uint8Array(BUCKET_BYTES * hashBuckets.length);
  hashBuckets.forEach((bucket, i) => void new DataView(buckets.buffer).setUint32(BUCKET_BYTES * i, bucket));
  const isOpen = compareBytes(keyEnd.subarray(0, buckets.length), buckets) !== 0;
  return keyEnd.subarray(isOpen ? keyEnd.length : buckets.length);
}

/** The hash partitioning of a partition's range: its own, or else the table's. */
export function hashOfRange(schema: PartitionSchema, partition: Partition): readonly HashPartitioning[] {
  const start = rangeStart(partition);
  const own = schema.customRanges.find(({ lower, upper }) => {
    const above = compareBytes(start, lower.key);
    const below = upper.key.length === 0 ? -1 : compareBytes(start, upper.key);
    const isAbove = above > 0 || (above === 0 && (lower.isInclusive || lower.key.length === 0));
    return isAbove && (below < 0 || (below === 0 && upper.isInclusive));
  });
  return own?.hash ?? schema.hash;
}

/** The bound among the two row operations of a range; `kinds` are the inclusive and the exclusive one. */
function boundOf(
  bounds: readonly NumberedOperation[],
  kinds: { readonly inclusive: number; readonly exclusive: number },
  columns: readonly KuduColumn[],
): RangeBound {
  const found = bounds.find(({ number }) => number === kinds.inclusive || number === kinds.exclusive);
  const values: KeyValue[] = [];
  for (const column of columns) {
    const cell = found?.cells.get(column.name);
    // Bounds of several columns may end early: the columns that follow are at their minimum.
    if (!cell) {
      break;
    }
    values.push(keyValueOf(column, cell));
  }
  const types = columns.map(({ type }) => type);
  return { key: lowerBound(types, values), isInclusive: found?.number === kinds.inclusive };
}

function keyValueOf(column: KuduColumn, data: Uint8Array): KeyValue {
  const cell = { isNull: false, data, start: 0, end: data.length };
  const value = decodeCell(column, cell, { strings: "bytes" });
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Uint8Array) {
    return value;
  }
  throw corrupt(`range column ${JSON.stringify(column.name)} has no key`, { field: "range_bounds" });
}

function hashOf({ columns, numBuckets, seed, hashAlgorithm }: HashBucketSchemaPB): HashPartitioning {
  return { columnIds: columnIds(columns), buckets: numBuckets, seed, algorithm: hashAlgorithm };
}

/** Columns identified by name have no ID. */
function columnIds(columns: readonly ColumnIdentifierPB[]): number[] {
  return columns.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
