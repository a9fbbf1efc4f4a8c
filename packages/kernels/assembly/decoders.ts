// Exports of the decoder module. Pointers are offsets in its memory, which the caller lays out and grows; `heapBase` is the first
// offset that the module does not use itself. Functions read up to 32 bytes and write up to 2048 bytes past the given ranges, so
// the caller leaves that margin. Results below 0 mean that the bytes are invalid.
export { bitUntranspose } from "./bit-transpose";
export { bitshuffleDecode } from "./bitshuffle-decode";
export { crc32c } from "./crc32c";
export { readOffsets } from "./group-varint";
export { dictionaryOffsets, dictionaryValues } from "./dictionary-gather";
export { lz4Decode } from "./lz4-decode";
export { prefixValues } from "./prefix-decode";
export { rleLastRun, rleReached, rleValues } from "./rle-decode";
export { scatter } from "./scatter";
export { snappyDecode } from "./snappy-decode";
export { widenCodes } from "./widen";

export function heapBase(): usize {
  return __heap_base;
}
