// Exports of the row module: what row sets need in addition to the decoders. As there, the caller leaves 32 bytes to be read and 2048
// to be written past the ranges it gives. Results below 0: the bytes are invalid, or the portable version must decode them.
export { bloomProbe } from "./bloom-probe";
export { deltaEntries, deltaSummary } from "./delta-entries";
export { countOnes, firstDescent, integerDescent, integerKeys } from "./key-order";

export function heapBase(): usize {
  return __heap_base;
}
