/** @module @cfile/bloomfile/write: write Bloom files. */
export {
  type BloomSizing,
  bloomSizingByBytes,
  bloomSizingByCount,
  DEFAULT_FALSE_POSITIVE_RATE,
  DEFAULT_FILTER_BYTES,
  MAX_FILTER_BYTES,
} from "./filter/bloom-sizing.js";
export {
  BloomFileWriter,
  type BloomFileWriterOptions,
  type WrittenBloomFile,
} from "./write/bloom-file-writer.js";
