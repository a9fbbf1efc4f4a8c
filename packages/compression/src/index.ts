/** @module @cfile/compression: LZ4 block, Snappy and zlib behind one interface. */
export {
  COMPRESSION_TYPES,
  type Codec,
  type CodecSet,
  type CompressionType,
  compressionTypeFromId,
} from "./codec.js";
export { lz4DecompressBlock } from "./lz4-decode.js";
export { lz4CompressBlock, lz4CompressBound } from "./lz4-encode.js";
