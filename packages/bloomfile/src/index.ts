/** @module @cfile/bloomfile: Kudu's Bloom files: hashes, filters, reader, writer and verifier. */
export { encodeBloomBlock, parseBloomBlock } from "./filter/bloom-block.js";
export { type BloomFill, BloomFilter, MAX_HASH_COUNT } from "./filter/bloom-filter.js";
export type { FixedWidthKeys, KeyBatch, VariableWidthKeys } from "./filter/key-batch.js";
export {
  BloomFileReader,
  type BloomOpenOptions,
  type MeasuredRate,
  openBloomFile,
} from "./read/bloom-file-reader.js";
export type { BloomBlock, BloomStatistics } from "./read/bloom-statistics.js";
export type { ProbeOptions } from "./read/probe-batch.js";
export type { BloomVerifyOptions, BloomVerifyReport } from "./verify/verify-bloom-file.js";
