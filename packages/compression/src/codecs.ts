/** @module @cfile/compression/codecs: codecs that compress and decompress; the Zstandard decoder; gzip. */
export { builtinCodecs, codecsWith, lz4Codec, snappyCodec, zlibCodec } from "./builtin-codecs.js";
export { snappyDecompress } from "./snappy/snappy-decode.js";
export { snappyCompress, snappyCompressFast } from "./snappy/snappy-encode.js";
export { zlibCompress } from "./zlib/deflate.js";
export { gzipCompress, gzipDecompress } from "./zlib/gzip.js";
export { zlibDecompress } from "./zlib/zlib.js";
export { zstdDecompress } from "./zstd/zstd-frame.js";
