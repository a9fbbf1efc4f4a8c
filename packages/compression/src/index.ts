/** @module @cfile/compression: LZ4 block, Snappy and zlib behind one interface; Zstandard, to be read. */
export { builtinCodecs, codecsWith, lz4Codec, snappyCodec, zlibCodec } from "./builtin-codecs.js";
export {
  COMPRESSION_TYPES,
  type Codec,
  type CodecSet,
  type CompressionType,
  compressionTypeFromId,
  type Expander,
} from "./codec.js";
export { checkLz4Block, type Lz4BlockCheck } from "./lz4/lz4-check.js";
export { lz4DecompressBlock } from "./lz4/lz4-decode.js";
export { lz4Compress, lz4CompressBlock, lz4CompressBound } from "./lz4/lz4-encode.js";
export { snappyDecompress } from "./snappy/snappy-decode.js";
export { snappyCompress } from "./snappy/snappy-encode.js";
export { gzipCompress, gzipDecompress } from "./zlib/gzip.js";
export { zlibCompress, zlibDecompress } from "./zlib/zlib.js";
export { zstdDecompress } from "./zstd/zstd-frame.js";
