/** Partitions of a table that no tablet has. */
import { compareBytes, toHex } from "@cfile/bytes";
import {
  hashOfRange,
  type Partition,
  type PartitionSchema,
  rangeEnd,
  rangeStart,
} from "../catalog/partition-message.js";

/** Maximum number of hash bucket combinations that are checked. */
const MAX_LISTED = 10_000;

interface Range {
  readonly start: Uint8Array;
  /** Empty if there is no upper bound. */
  readonly end: Uint8Array;
  readonly partition: Partition;
  /** The hash buckets that have a tablet, joined with commas. */
  readonly present: Set<string>;
}

/** The hash partitions that are missing in the ranges of the table's tablets. */
export function missingBuckets(
  partitionSchema: PartitionSchema | undefined,
  partitions: readonly Partition[],
): readonly Partition[] {
  return rangesOf(partitions).flatMap(({ start, end, partition, present }) => {
    const dimensions = dimensionsOf(partitionSchema, partition);
    const missing: Partition[] = [];
    for (let i = 0; i < Math.min(count(dimensions), MAX_LISTED); i++) {
      const hashBuckets = bucketsAt(i, dimensions);
      if (!present.has(hashBuckets.join(","))) {
        missing.push({ hashBuckets, keyStart: keyOf(hashBuckets, start), keyEnd: endOf(hashBuckets, end) });
      }
    }
    return missing;
  });
}

/** The number of buckets of each hash partitioning. */
function dimensionsOf(schema: PartitionSchema | undefined, partition: Partition): readonly number[] {
  return schema === undefined ? [] : hashOfRange(schema, partition).map(({ buckets }) => buckets);
}

function count(dimensions: readonly number[]): number {
  return dimensions.reduce((product, buckets) => product * buckets, 1);
}

/** The ranges between those of the tablets. Kudu tables need not cover all keys: only a catalog says whether tablets are missing. */
export function rangesBetween(partitions: readonly Partition[]): readonly Partition[] {
  const ranges = rangesOf(partitions);
  return ranges.slice(1).flatMap(({ start }, i) => {
    const before = ranges[i]?.end;
    return before !== undefined && before.length > 0 && compareBytes(before, start) < 0
      ? [{ hashBuckets: [], keyStart: before, keyEnd: start }]
      : [];
  });
}

/** The ranges of the partitions, in key order. */
function rangesOf(partitions: readonly Partition[]): readonly Range[] {
  const ranges = new Map<string, Range>();
  for (const partition of partitions) {
    const start = rangeStart(partition);
    const range = ranges.get(toHex(start)) ?? {
      start,
      end: rangeEnd(partition),
      partition,
      present: new Set<string>(),
    };
    range.present.add(partition.hashBuckets.join(","));
    ranges.set(toHex(start), range);
  }
  return [...ranges.values()].sort((left, right) => compareBytes(left.start, right.start));
}

/** The buckets of combination `i`; the last dimension varies fastest. */
function bucketsAt(i: number, dimensions: readonly number[]): number[] {
  let rest = i;
  return dimensions
    .toReversed()
    .map((buckets) => {
      const bucket = rest % buckets;
      rest = (rest - bucket) / buckets;
      return bucket;
    })
    .toReversed();
}

function keyOf(buckets: readonly number[], range: Uint8Array): Uint8Array {
  const key = new Uint8Array(4 * buckets.length + range.length);
  const view = new DataView(key.buffer);
  for (const [i, bucket] of buckets.entries()) {
    view.setUint32(4 * i, bucket);
  }
  key.set(range, 4 * buckets.length);
  return key;
}

/** The end of a bucket's range; empty if the range is unbounded. Kudu stores the start of the next bucket instead. */
function endOf(buckets: readonly number[], range: Uint8Array): Uint8Array {
  return range.length === 0 ? range : keyOf(buckets, range);
}
