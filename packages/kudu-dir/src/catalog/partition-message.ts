/** `PartitionPB` and `PartitionSchemaPB`: which rows of a table a tablet has (docs/spec/kudu-data-dir.md#7-superblock). */
import type { MessageReader } from "./protobuf-message.js";

export interface Partition {
  readonly hashBuckets: readonly number[];
  /** The first encoded partition key; empty for the first tablet. */
  readonly keyStart: Uint8Array;
  /** The one after the last; empty for the last tablet. */
  readonly keyEnd: Uint8Array;
}

export interface HashPartitioning {
  readonly columnIds: readonly number[];
  readonly buckets: number;
  readonly seed: number | undefined;
  /** Number of Kudu's enumeration. */
  readonly algorithm: number | undefined;
}

export interface PartitionSchema {
  readonly hash: readonly HashPartitioning[];
  /** Ids of the columns of the range; `undefined` when the table does not say. */
  readonly rangeColumnIds: readonly number[] | undefined;
  /** Ranges that have their own hash partitioning. */
  readonly customRanges: number;
}

export const WHOLE_TABLE: Partition = /* @__PURE__ */ Object.freeze({
  hashBuckets: [],
  keyStart: new Uint8Array(0),
  keyEnd: new Uint8Array(0),
});

export function parsePartition(message: MessageReader): Partition {
  const hashBuckets: number[] = [];
  let keyStart = WHOLE_TABLE.keyStart;
  let keyEnd = WHOLE_TABLE.keyEnd;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      hashBuckets.push(...message.int32s("hash_buckets"));
    } else if (field === 2) {
      keyStart = message.bytes("partition_key_start");
    } else if (field === 3) {
      keyEnd = message.bytes("partition_key_end");
    } else {
      message.skip();
    }
  }
  return { hashBuckets, keyStart, keyEnd };
}

export function parsePartitionSchema(message: MessageReader): PartitionSchema {
  const hash: HashPartitioning[] = [];
  let rangeColumnIds: number[] | undefined;
  let customRanges = 0;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      hash.push(parseHash(message.message("hash_schema")));
    } else if (field === 2) {
      rangeColumnIds = parseColumnIds(message.message("range_schema"));
    } else {
      customRanges += field === 5 ? 1 : 0;
      message.skip();
    }
  }
  return { hash, rangeColumnIds, customRanges };
}

function parseHash(message: MessageReader): HashPartitioning {
  const columnIds: number[] = [];
  let buckets = 0;
  let seed: number | undefined;
  let algorithm: number | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      columnIds.push(...columnId(message.message("columns")));
    } else if (field === 2) {
      buckets = message.int32("num_buckets");
    } else if (field === 3) {
      seed = message.int32("seed") >>> 0;
    } else if (field === 4) {
      algorithm = message.int32("hash_algorithm");
    } else {
      message.skip();
    }
  }
  return { columnIds, buckets, seed, algorithm };
}

function parseColumnIds(message: MessageReader): number[] {
  const ids: number[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      ids.push(...columnId(message.message("columns")));
    } else {
      message.skip();
    }
  }
  return ids;
}

function columnId(message: MessageReader): number[] {
  const ids: number[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      ids.push(message.int32("column id"));
    } else {
      message.skip();
    }
  }
  return ids.slice(-1);
}
