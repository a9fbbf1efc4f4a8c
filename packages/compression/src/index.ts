/** @module @cfile/compression: LZ4 blocks, Snappy and zlib behind one interface. */
export {
  COMPRESSION_TYPES,
  type Codec,
  type CodecSet,
  type CompressionType,
  compressionTypeFromId,
  type Expander,
} from "./codec.js";
export { loadExpander } from "./load-expander.js";
