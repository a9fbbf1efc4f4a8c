/** @module @cfile/bloomfile: Kudu's Bloom files: hashes, filters, reader, writer and verifier. */
export { encodeBloomBlock, parseBloomBlock } from "./filter/bloom-block.js";
export { type BloomFill, BloomFilter, MAX_HASH_COUNT } from "./filter/bloom-filter.js";
export {
  type BloomSizing,
  bloomSizingByBytes,
  bloomSizingByCount,
  DEFAULT_FALSE_POSITIVE_RATE,
  DEFAULT_FILTER_BYTES,
  MAX_FILTER_BYTES,
} from "./filter/bloom-sizing.js";
export type { FixedWidthKeys, KeyBatch, VariableWidthKeys } from "./filter/key-batch.js";
export { cityHash64, cityHash64Into } from "./hash/city-hash.js";
export { fastHash64, fastHash64Into } from "./hash/fast-hash.js";
export { murmur2Hash64, murmur2Hash64Into } from "./hash/murmur2-hash.js";
export { Word64 } from "./hash/word64.js";
export { BloomFileReader, type BloomOpenOptions, type MeasuredRate } from "./read/bloom-file-reader.js";
export type { BloomBlock, BloomStatistics } from "./read/bloom-statistics.js";
export type { OnDamage } from "./read/damage.js";
export type { ProbeOptions } from "./read/probe-batch.js";
export type { BloomVerifyOptions, BloomVerifyReport } from "./verify/verify-bloom-file.js";
export {
  BloomFileWriter,
  type BloomFileWriterOptions,
  type WrittenBloomFile,
} from "./write/bloom-file-writer.js";
