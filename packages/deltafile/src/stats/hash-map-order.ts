/**
 * The order in which Kudu's servers iterate over the counts by column: that of libstdc++'s `unordered_map`, whose hash of an
 * integer is the integer. The map is a single list in which entries of a bucket are adjacent. A new entry is inserted before
 * those of its bucket, or before the whole list if the bucket is empty. A growing map inserts all entries again.
 */

/** Table sizes: each the first prime of libstdc++'s list that is at least twice the previous size. */
const BUCKETS: readonly number[] = [
  13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153,
  2938679, 5967347,
];

/** The order in which a map lists these keys after inserting them in the given order; distinct non-negative integers. */
export function hashMapOrder(keys: readonly number[]): number[] {
  let list = new BucketList(1);
  for (const [count, key] of keys.entries()) {
    const grown = count === list.buckets || count === 0 ? BUCKETS.find((size) => size > count) : undefined;
    if (grown !== undefined) {
      const dealt = new BucketList(grown);
      for (const other of list.keys()) {
        dealt.insert(other);
      }
      list = dealt;
    }
    list.insert(key);
  }
  return list.keys();
}

interface Entry {
  readonly key: number;
  next: Entry | undefined;
}

class BucketList {
  readonly buckets: number;
  private readonly head: Entry = { key: -1, next: undefined };
  /** The entry before the first one of each bucket that is not empty. */
  private readonly before = new Map<number, Entry>();

  constructor(buckets: number) {
    this.buckets = buckets;
  }

  insert(key: number): void {
    const bucket = key % this.buckets;
    const before = this.before.get(bucket) ?? this.head;
    const entry: Entry = { key, next: before.next };
    before.next = entry;
    if (!this.before.has(bucket)) {
      this.before.set(bucket, before);
      if (entry.next !== undefined) {
        this.before.set(entry.next.key % this.buckets, entry);
      }
    }
  }

  keys(): number[] {
    const keys: number[] = [];
    for (let { next } = this.head; next !== undefined; next = next.next) {
      keys.push(next.key);
    }
    return keys;
  }
}
