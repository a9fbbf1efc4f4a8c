/** @module @cfile/encodings/plain: plain blocks. */
export { openPlainBinaryBlock } from "./codecs/plain/plain-binary-block.js";
export { createPlainBinaryBuilder } from "./codecs/plain/plain-binary-builder.js";
export { createPlainBoolBuilder, openPlainBoolBlock } from "./codecs/plain/plain-bool.js";
export { createPlainFixedBuilder, openPlainFixedBlock } from "./codecs/plain/plain-fixed.js";
