/** @module @cfile/compression: LZ4 blocks, Snappy and zlib behind one interface; the Brotli decoder. */
export { type BrotliDecompress, loadBrotli } from "./brotli/load-brotli.js";
export {
  COMPRESSION_TYPES,
  type Codec,
  type CodecSet,
  type CompressionType,
  compressionTypeFromId,
  type Expander,
} from "./codec.js";
export { loadExpander } from "./load-expander.js";
