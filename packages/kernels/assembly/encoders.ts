// Exports of the encoder module. Pointers are offsets in its memory, which the caller lays out and grows; `heapBase` is the first
// offset that the module does not use itself. Functions read up to 32 bytes and write up to 2048 bytes past the given ranges, so
// the caller leaves that margin. Results are lengths.
export { bitTranspose } from "./bit-transpose";
export { bitshuffleEncode } from "./bitshuffle-encode";
export { gather } from "./gather";
export { writeOffsets } from "./group-varint-encode";
export { lz4Encode } from "./lz4-encode";
export { narrowWords } from "./narrow";
export { prefixEncode, prefixRestarts, prefixTaken } from "./prefix-encode";
export { snappyEncode, snappyEncodeFast } from "./snappy-encode";

export function heapBase(): usize {
  return __heap_base;
}
