// Exports of the digest module, for comparisons of tables. As for the decoders, functions read up to 32 bytes and write up to 2048
// bytes past the given ranges.
export { clearKeys, foldCells, hashStrings, sumRows } from "./cell-digest";

export function heapBase(): usize {
  return __heap_base;
}
