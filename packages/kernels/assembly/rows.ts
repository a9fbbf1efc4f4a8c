// Exports of the row module, for row sets. As for the decoders, functions read up to 32 bytes and write up to 2048 bytes past the given
// ranges. Results below 0 mean that the bytes are invalid, or that the portable version must decode them.
export { bloomProbe } from "./bloom-probe";
export { deltaEntries, deltaSummary } from "./delta-entries";
export { countOnes, firstDescent, integerDescent, integerKeys } from "./key-order";

export function heapBase(): usize {
  return __heap_base;
}
