/** @module @cfile/bloomfile: Kudu's Bloom files: hashes, filters, reader, writer and verifier. */
export { type BloomFill, BloomFilter, MAX_HASH_COUNT } from "./bloom-filter.js";
export {
  type BloomSizing,
  bloomSizingByBytes,
  bloomSizingByCount,
  DEFAULT_FALSE_POSITIVE_RATE,
  DEFAULT_FILTER_BYTES,
  MAX_FILTER_BYTES,
} from "./bloom-sizing.js";
export { cityHash64, cityHash64Into } from "./city-hash.js";
export { fastHash64, fastHash64Into } from "./fast-hash.js";
export type { FixedWidthKeys, KeyBatch, VariableWidthKeys } from "./key-batch.js";
export { murmur2Hash64, murmur2Hash64Into } from "./murmur2-hash.js";
export { Word64 } from "./word64.js";
