/** @module @cfile/bytes: errors, limits, cursors, bitmaps, checksums and memory for all other packages. */
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
export { builtinModule } from "./builtin-module.js";
export { ByteBuilder } from "./byte-builder.js";
export { ByteReader } from "./byte-reader.js";
export { crc32, crc32c } from "./checksum.js";
export {
  commonPrefixLength,
  compareBytes,
  compareRange,
  compareToPrefix,
  compareWithin,
  equalBytes,
  keyHead,
} from "./compare.js";
export { concatBytes } from "./concat.js";
export {
  type FileProblem,
  findingOf,
  isDamage,
  type OnDamage,
  problemOf,
  reportDamage,
} from "./error/damage.js";
export {
  attempt,
  type BlockLocation,
  CFILE_ERROR_CODES,
  CFileError,
  type CFileErrorCode,
  type CFileErrorDetails,
  corrupt,
  invalidArgument,
  invalidOption,
  isCFileError,
  mismatch,
  overLimit,
  withErrorContext,
} from "./error/error.js";
export { DEFAULT_LIMITS, type Limits } from "./error/limits.js";
export { fromHex, toHex } from "./hex.js";
export { ArenaBuilder } from "./memory/arena-builder.js";
export { BlockCache, type Cacheable, CacheBudget } from "./memory/block-cache.js";
export { type ArenaBudget, type BlockMemory, freshMemory, MemoryArena } from "./memory/memory-arena.js";
export { SharedLoads } from "./memory/shared-loads.js";
export type { Progress, WorkOptions } from "./progress.js";
export { utf8Bytes } from "./utf8.js";
