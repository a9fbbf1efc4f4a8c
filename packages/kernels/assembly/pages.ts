// Exports of the page module, for writers of Parquet pages. As for the decoders, the caller leaves 32 bytes to be read and 2048 to be
// written past the ranges it gives.
export { crc32 } from "./crc32c";
export { integerBounds, isAscii } from "./integer-bounds";
export { stringGreatest, stringLeast } from "./key-order";
export { lengthPrefixed } from "./length-prefixed";

export function heapBase(): usize {
  return __heap_base;
}
