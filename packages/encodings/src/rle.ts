/** @module @cfile/encodings/rle: RLE blocks, RLE streams and bit packing. */
export { packBits, packedByteLength, unpackBits } from "./codecs/rle/bit-packing.js";
export { openRleBlock, type RlePhysicalType } from "./codecs/rle/rle-block.js";
export { createRleBuilder } from "./codecs/rle/rle-builder.js";
export { RleDecoder, rleDecode } from "./codecs/rle/rle-decoder.js";
export { RleEncoder, rleEncode } from "./codecs/rle/rle-encoder.js";
