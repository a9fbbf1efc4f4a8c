/** @module @cfile/bloomfile: Kudu's Bloom files: hashes, filters, reader, writer and verifier. */
export { encodeBloomBlock, parseBloomBlock } from "./bloom-block.js";
export { BloomFileReader, type BloomOpenOptions, type MeasuredRate } from "./bloom-file-reader.js";
export { BloomFileWriter, type BloomFileWriterOptions, type WrittenBloomFile } from "./bloom-file-writer.js";
export { type BloomFill, BloomFilter, MAX_HASH_COUNT } from "./bloom-filter.js";
export {
  type BloomSizing,
  bloomSizingByBytes,
  bloomSizingByCount,
  DEFAULT_FALSE_POSITIVE_RATE,
  DEFAULT_FILTER_BYTES,
  MAX_FILTER_BYTES,
} from "./bloom-sizing.js";
export type { BloomBlock, BloomStatistics } from "./bloom-statistics.js";
export { cityHash64, cityHash64Into } from "./city-hash.js";
export type { OnDamage } from "./damage.js";
export { fastHash64, fastHash64Into } from "./fast-hash.js";
export type { FixedWidthKeys, KeyBatch, VariableWidthKeys } from "./key-batch.js";
export { murmur2Hash64, murmur2Hash64Into } from "./murmur2-hash.js";
export type { ProbeOptions } from "./probe-batch.js";
export type { BloomVerifyOptions, BloomVerifyReport } from "./verify-bloom-file.js";
export { Word64 } from "./word64.js";
