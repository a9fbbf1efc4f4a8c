// What the module of the rows exports: what row sets need beside the decoders. As there, the caller leaves 32 bytes to be read and
// 2048 to be written behind the ranges it gives. Results below 0: the bytes are bad, or the portable version is to say what they are.
export { bloomProbe } from "./bloom-probe";
export { deltaEntries, deltaSummary } from "./delta-entries";
export { countOnes, firstDescent, integerDescent, integerKeys } from "./key-order";

export function heapBase(): usize {
  return __heap_base;
}
