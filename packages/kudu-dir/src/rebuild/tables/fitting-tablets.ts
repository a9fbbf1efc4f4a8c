/**
 * The tablets of a table that all rows of a row set can belong to, by their partition keys
 * (docs/spec/kudu-cluster.md#2-the-catalog): buckets of the hash dimensions, then the range columns as an encoded key.
 */
import { murmur2Hash64Into, Word64 } from "@cfile/bloomfile/hash";
import { compareBytes } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { encodeRowKeys, type RowKeys } from "@cfile/rowset";
import { type HashPartitioning, hashOfRange, rangeEnd, rangeStart } from "../../catalog/partition-message.js";
import { scanColumns } from "../columns/key-columns.js";
import type { SurveyedBlock } from "../survey-blocks.js";
import type { KnownTable, KnownTablet } from "./known-tables.js";

const MURMUR_HASH_2 = 1;
/** With at most this many buckets, the modulo arithmetic is exact. */
const MAX_BUCKETS = 1 << 20;

/** A tablet and the hash partitioning of its range. */
interface Candidate {
  readonly tablet: KnownTablet;
  readonly hash: readonly HashPartitioning[];
}

/**
 * The tablets whose partition has the keys of all rows.
 *
 * @param keyColumns the key columns, in the order of the table's key
 */
export async function fittingTablets(
  { schema, partitionSchema, tablets }: KnownTable,
  keyColumns: readonly SurveyedBlock[],
): Promise<readonly KnownTablet[]> {
  const keyIds = schema.columns.filter(({ isKey }) => isKey).map(({ id }) => id);
  const rangeIds = partitionSchema?.rangeColumnIds ?? keyIds;
  let candidates: readonly Candidate[] = tablets
    .map((tablet) => ({
      tablet,
      hash: partitionSchema === undefined ? [] : hashOfRange(partitionSchema, tablet.partition),
    }))
    .filter(({ hash }) => hash.every(isSupported));
  for await (const { columns } of scanColumns(keyColumns)) {
    const encode = (ids: readonly number[]): RowKeys => encodedColumns(ids, keyIds, columns);
    const range = rangeIds.length === 0 ? undefined : encode(rangeIds);
    candidates = candidates.filter(
      ({ tablet, hash }) => isInRange(tablet, range) && areInBuckets(tablet, hash, encode),
    );
    if (candidates.length === 0) {
      break;
    }
  }
  return candidates.map(({ tablet }) => tablet);
}

function encodedColumns(
  ids: readonly number[],
  keyIds: readonly number[],
  columns: readonly ColumnBatch[],
): RowKeys {
  return encodeRowKeys(ids.flatMap((id) => columns[keyIds.indexOf(id)] ?? []));
}

function isSupported({ buckets, algorithm }: HashPartitioning): boolean {
  return (algorithm ?? MURMUR_HASH_2) <= MURMUR_HASH_2 && buckets >= 1 && buckets <= MAX_BUCKETS;
}

function isInRange({ partition }: KnownTablet, range: RowKeys | undefined): boolean {
  if (range === undefined) {
    return true;
  }
  const [start, end] = [rangeStart(partition), rangeEnd(partition)];
  for (let row = 0; row < range.length; row++) {
    const key = range.data.subarray(range.offsets[row], range.offsets[row + 1]);
    if (compareBytes(key, start) < 0 || (end.length > 0 && compareBytes(key, end) >= 0)) {
      return false;
    }
  }
  return true;
}

function areInBuckets(
  { partition }: KnownTablet,
  hash: readonly HashPartitioning[],
  encode: (ids: readonly number[]) => RowKeys,
): boolean {
  const word = new Word64();
  return hash.every(({ columnIds, buckets, seed = 0 }, dimension) => {
    const { length, offsets, data } = encode(columnIds);
    for (let row = 0; row < length; row++) {
      murmur2Hash64Into(data, offsets[row] as number, offsets[row + 1] as number, word, seed);
      const high = (word.hi >>> 0) % buckets;
      const bucket = (high * (0x100000000 % buckets) + (word.lo >>> 0)) % buckets;
      if (bucket !== partition.hashBuckets[dimension]) {
        return false;
      }
    }
    return true;
  });
}
