/** @module @cfile/encodings/plain: plain blocks. */
export { openPlainBinaryBlock } from "./codecs/plain/plain-binary-block.js";
export { createPlainBinaryBuilder } from "./codecs/plain/plain-binary-builder.js";
export { openPlainBoolBlock } from "./codecs/plain/plain-bool-block.js";
export { createPlainBoolBuilder } from "./codecs/plain/plain-bool-builder.js";
export { openPlainFixedBlock } from "./codecs/plain/plain-fixed-block.js";
export { createPlainFixedBuilder } from "./codecs/plain/plain-fixed-builder.js";
