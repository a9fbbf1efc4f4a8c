/** @module @cfile/encodings/rle: RLE blocks, RLE streams and bit packing. */
export { packBits, packedByteLength, unpackBits } from "./codecs/rle/bit-packing.js";
export { openRleBlock, type RlePhysicalType } from "./codecs/rle/rle-block.js";
export { createRleBuilder } from "./codecs/rle/rle-builder.js";
export { rleDecode } from "./codecs/rle/rle-decode.js";
export { RleDecoder } from "./codecs/rle/rle-decoder.js";
export { rleEncode } from "./codecs/rle/rle-encode.js";
export { RleEncoder } from "./codecs/rle/rle-encoder.js";
