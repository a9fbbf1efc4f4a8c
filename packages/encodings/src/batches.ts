/** @module @cfile/encodings/batches: build, slice, join and rearrange column batches. */
export { alignBatches } from "./batch/align-batches.js";
export { batchFromValues, type InputColumn, MAX_ARRAY_ELEMENTS } from "./batch/batch-from-values.js";
export { type CanonicalPart, canonicalParts } from "./batch/canonical-bytes.js";
export { type BatchRange, concatBatches } from "./batch/concat-batches.js";
export { copyRange } from "./batch/copy-range.js";
export { expandDictionaries, expandDictionary } from "./batch/expand-dictionary.js";
export { sliceTable, type TableBatch, takeTable } from "./batch/table-batch.js";
export { sliceRows, takeRows } from "./batch/take-rows.js";
export { allocateFixed, bytesOf, fixedView } from "./types/vector.js";
