/** @module @cfile/encodings/headers: nullable and array blocks: their headers, and values with and without the gaps of null cells. */

export { gatherVector } from "./batch/gather.js";
export { scatterVector } from "./batch/scatter.js";
export type { ArrayBlock, ArrayBlockParts } from "./codecs/headers/array-header.js";
export { encodeArrayBlock, parseArrayBlock } from "./codecs/headers/array-header.js";
export { encodeNullableBlock, type NullableBlock, parseNullableBlock } from "./codecs/headers/null-header.js";
