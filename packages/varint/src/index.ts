/** @module @cfile/varint: varints, block pointers and length-prefixed bytes. */
export { readBlockPointer, writeBlockPointer } from "./block-pointer.js";
export { readLengthPrefixed, writeLengthPrefixed } from "./length-prefixed.js";
export {
  MAX_MEMCMPABLE_VARINT64_LENGTH,
  memcmpableVarint64Length,
  memcmpableVarint64LengthAt,
  readMemcmpableVarint64,
  readMemcmpableVarint64BigInt,
  writeMemcmpableVarint64,
} from "./memcmpable-varint64.js";
export { MAX_VARINT32_LENGTH, readVarint32, writeVarint32 } from "./varint32.js";
export {
  MAX_VARINT64_LENGTH,
  readVarint64,
  readVarint64BigInt,
  varintLength,
  writeVarint64,
} from "./varint64.js";
