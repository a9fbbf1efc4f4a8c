/** `PartitionPB` and `PartitionSchemaPB`: which rows of a table a tablet has (docs/spec/kudu-data-dir.md#7-superblock). */
import type {
  ColumnIdentifierPB,
  HashBucketSchemaPB,
  PartitionPB,
  PartitionSchemaPB,
} from "../generated/decode.js";

/** Which rows of a table a tablet has. */
export interface Partition {
  readonly hashBuckets: readonly number[];
  /** The first encoded partition key; empty for the first tablet. */
  readonly keyStart: Uint8Array;
  /** The one after the last; empty for the last tablet. */
  readonly keyEnd: Uint8Array;
}

/** Partitioning by hash: of which columns, into how many buckets. */
export interface HashPartitioning {
  readonly columnIds: readonly number[];
  readonly buckets: number;
  readonly seed: number | undefined;
  /** Number of Kudu's enumeration. */
  readonly algorithm: number | undefined;
}

/** How a table is partitioned. */
export interface PartitionSchema {
  readonly hash: readonly HashPartitioning[];
  /** Ids of the columns of the range; `undefined` when the table does not say. */
  readonly rangeColumnIds: readonly number[] | undefined;
  /** The hash partitioning of each range that has its own. */
  readonly customRanges: readonly (readonly HashPartitioning[])[];
}

/** Without a message, the whole table. */
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

/** Columns that are named instead have none. */
function columnIds(columns: readonly ColumnIdentifierPB[]): number[] {
  return columns.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
