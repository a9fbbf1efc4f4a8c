// Exports of the page module, for writers of Parquet pages. As for the decoders, functions read up to 32 bytes and write up to 2048
// bytes past the given ranges.
export { crc32 } from "./crc32c";
export { integerBounds, isAscii } from "./integer-bounds";
export { stringMaximum, stringMinimum } from "./key-order";
export { lengthPrefixed } from "./length-prefixed";
export { fillBloom, foldBloom } from "./split-block-bloom";
export { xxhashStrings, xxhashValues } from "./xxhash64";

export function heapBase(): usize {
  return __heap_base;
}
