/**
 * The order in which a `java.util.HashMap` gives its keys: by the low bits of their spread hashes, and in the order of
 * insertion among those that share a bucket. Hudi's writer leaves file info in that order.
 */
const LEAST_BUCKETS = 16;

/** `items` in a hash map's order, whose keys are the texts that `keyOf` gives. */
export function inJavaHashOrder<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  let buckets = LEAST_BUCKETS;
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
