/** `PartitionPB` and `PartitionSchemaPB`: how the rows of a table are divided among tablets (docs/spec/kudu-data-dir.md#7-superblock). */
import type {
  ColumnIdentifierPB,
  HashBucketSchemaPB,
  PartitionPB,
  PartitionSchemaPB,
} from "../generated/decode.js";

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
  /** The hash partitioning of each range with its own hash schema. */
  readonly customRanges: readonly (readonly HashPartitioning[])[];
}

/** The whole table, if there is no message. */
export function partitionOf(message: PartitionPB | undefined): Partition {
  const open = new Uint8Array(0);
  return {
    hashBuckets: message?.hashBuckets ?? [],
    keyStart: message?.partitionKeyStart ?? open,
    keyEnd: message?.partitionKeyEnd ?? open,
  };
}

export function partitionSchemaOf(message: PartitionSchemaPB): PartitionSchema {
  const { hashSchema, rangeSchema, customHashSchemaRanges } = message;
  return {
    hash: hashSchema.map(hashOf),
    rangeColumnIds: rangeSchema && columnIds(rangeSchema.columns),
    customRanges: customHashSchemaRanges.map((range) => range.hashSchema.map(hashOf)),
  };
}

function hashOf({ columns, numBuckets, seed, hashAlgorithm }: HashBucketSchemaPB): HashPartitioning {
  return { columnIds: columnIds(columns), buckets: numBuckets, seed, algorithm: hashAlgorithm };
}

/** Columns identified by name have no ID. */
function columnIds(columns: readonly ColumnIdentifierPB[]): number[] {
  return columns.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
