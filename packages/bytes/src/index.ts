/** @module @cfile/bytes: what every other package stands on: errors, limits, cursors, bitmaps, CRC-32C. */
export {
  bitmapByteLength,
  clearBit,
  copyBits,
  countBits,
  findBit,
  getBit,
  onesBitmap,
  setBit,
  setBitRange,
} from "./bitmap.js";
export { BlockCache, type Cacheable, CacheBudget } from "./block-cache.js";
export { type BlockMemory, freshMemory, RecycledMemory, SpareBuffers } from "./block-memory.js";
export { builtinModule } from "./builtin-module.js";
export { ByteBuilder } from "./byte-builder.js";
export { ByteReader } from "./byte-reader.js";
export {
  commonPrefixLength,
  compareBytes,
  compareRange,
  compareToPrefix,
  equalBytes,
  keyHead,
} from "./compare.js";
export { concatBytes } from "./concat.js";
export { crc32 } from "./crc32.js";
export { crc32c } from "./crc32c.js";
export {
  type BlockLocation,
  CFILE_ERROR_CODES,
  CFileError,
  type CFileErrorCode,
  type CFileErrorDetails,
  corrupt,
  invalidArgument,
  isCFileError,
  withErrorContext,
} from "./error.js";
export { type FileProblem, problemOf } from "./file-problem.js";
export { GivingByteBuilder } from "./giving-byte-builder.js";
export { fromHex, toHex } from "./hex.js";
export { DEFAULT_LIMITS, type Limits } from "./limits.js";
export { utf8Bytes } from "./utf8.js";
