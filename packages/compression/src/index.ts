/** @module @cfile/compression: LZ4 block, Snappy and zlib behind one interface; Zstandard, to be read. */
export {
  COMPRESSION_TYPES,
  type Codec,
  type CodecSet,
  type CompressionType,
  compressionTypeFromId,
  type Expander,
} from "./codec.js";
export { loadExpander } from "./load-expander.js";
