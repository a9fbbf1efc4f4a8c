/** @module cfile/dataset: several CFiles of one column, or of one table, read as one. */
export { Dataset, type DatasetScanOptions, openDataset } from "./dataset/dataset.js";
export {
  type DatasetFiles,
  type DatasetInput,
  type DatasetPart,
  datasetFiles,
  type PartInput,
} from "./dataset/dataset-parts.js";
export type { PartScanOptions } from "./dataset/scan-part.js";
export { type DatasetSlice, type ScanSliceOptions, type SlicesOptions, scanSlice } from "./dataset/slices.js";
