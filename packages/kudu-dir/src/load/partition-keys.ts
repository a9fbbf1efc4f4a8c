/**
 * Finds the tablet of a row by its partition key (docs/spec/kudu-data-dir.md#7-superblock).
 *
 * | part | coding |
 * | --- | --- |
 * | each hash dimension | bucket, u32 big-endian: 64-bit MurmurHash2 of the columns' encoded key, modulo the number of buckets |
 * | range | the encoded key of its columns |
 */
import { murmur2Hash64Into, Word64 } from "@cfile/bloomfile/hash";
import { CFileError, compareBytes } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { RowKeys } from "@cfile/rowset";
import { encodeRowKeys } from "@cfile/rowset";
import type { KuduTablet } from "../read/kudu-tablet.js";

const MURMUR_HASH_2 = 1;
/** With at most this many buckets, the modulo arithmetic is exact. */
const MAX_BUCKETS = 1 << 20;

/** The tablets of a table by the partition keys of their rows. */
export class PartitionKeys {
  private readonly tablets: readonly KuduTablet[];
  /** Indexes of the columns among the batches, per hash dimension and for the range. */
  private readonly hashes: readonly { places: readonly number[]; buckets: number; seed: number }[];
  private readonly range: readonly number[];
  private readonly word = new Word64();

  /**
   * @param tablets of one table
   * @throws {CFileError} `E_UNSUPPORTED` for ranges with their own hash schemas, and for unknown hash algorithms
   */
  constructor(tablets: readonly KuduTablet[]) {
    this.tablets = tablets;
    const [first] = tablets;
    const schema = first?.superblock.partitionSchema;
    const columns = first?.schema.columns ?? [];
    const placesOf = (ids: readonly number[]): number[] =>
      ids.map((id) => columns.findIndex((column) => column.id === id));
    if (schema !== undefined && schema.customRanges.length > 0) {
      const reason = "cannot load rows into a table whose ranges have hash schemas of their own";
      throw new CFileError("E_UNSUPPORTED", reason, { field: "partition_schema" });
    }
    this.hashes = (schema?.hash ?? []).map(({ columnIds, buckets, seed = 0, algorithm }) => {
      if ((algorithm ?? MURMUR_HASH_2) > MURMUR_HASH_2 || buckets < 1 || buckets > MAX_BUCKETS) {
        const reason = `unsupported hash algorithm ${algorithm} with ${buckets} buckets`;
        throw new CFileError("E_UNSUPPORTED", reason, { field: "hash_algorithm" });
      }
      return { places: placesOf(columnIds), buckets, seed };
    });
    const keys = columns.flatMap(({ isKey }, i) => (isKey ? [i] : []));
    this.range = schema?.rangeColumnIds === undefined ? keys : placesOf(schema.rangeColumnIds);
  }

  /**
   * The index of each row's tablet; -1 if none of them has the row.
   *
   * @param batches of the table's columns, in their order
   */
  tabletsOf(batches: readonly ColumnBatch[]): Int32Array {
    const length = batches[0]?.length ?? 0;
    const found = new Int32Array(length);
    const pick = (places: readonly number[]): RowKeys | undefined =>
      places.length === 0 ? undefined : encodeRowKeys(places.map((place) => batches[place] as ColumnBatch));
    const hashed = this.hashes.map(({ places, ...rest }) => ({ ...rest, keys: pick(places) }));
    const range = pick(this.range);
    const buckets = new DataView(new ArrayBuffer(4 * hashed.length));
    const head = new Uint8Array(buckets.buffer);
    for (let row = 0; row < length; row++) {
      hashed.forEach(({ keys, buckets: count, seed }, i) => {
        buckets.setUint32(4 * i, keys === undefined ? 0 : this.bucketOf(keys, row, count, seed));
      });
      const tail = range?.data.subarray(range.offsets[row] as number, range.offsets[row + 1] as number);
      found[row] = this.tabletOf(head, tail ?? head.subarray(0, 0));
    }
    return found;
  }

  private bucketOf({ offsets, data }: RowKeys, row: number, buckets: number, seed: number): number {
    const { word } = this;
    murmur2Hash64Into(data, offsets[row] as number, offsets[row + 1] as number, word, seed);
    const high = (word.hi >>> 0) % buckets;
    return (high * (0x100000000 % buckets) + (word.lo >>> 0)) % buckets;
  }

  private tabletOf(head: Uint8Array, tail: Uint8Array): number {
    const key = new Uint8Array(head.length + tail.length);
    key.set(head);
    key.set(tail, head.length);
    return this.tablets.findIndex(({ superblock: { partition } }) => {
      const { keyStart, keyEnd } = partition;
      return compareBytes(keyStart, key) <= 0 && (keyEnd.length === 0 || compareBytes(key, keyEnd) < 0);
    });
  }
}
