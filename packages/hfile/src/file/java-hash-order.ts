/**
 * The order in which a `java.util.HashMap` iterates over its keys: by the low bits of their spread hashes, and in insertion order within
 * a bucket. Hudi's writer stores the file info in this order.
 */
const MIN_BUCKETS = 16;

/** `items` in the order of a hash map with the keys that `keyOf` returns. */
export function inJavaHashOrder<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  let buckets = MIN_BUCKETS;
  while (items.length > 0.75 * buckets) {
    buckets *= 2;
  }
  const bucketOf = (item: T): number => {
    const hash = hashCode(keyOf(item));
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return [...items].sort((a, b) => bucketOf(a) - bucketOf(b));
}

/** `java.lang.String.hashCode`. */
function hashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  }
  return hash;
}
