/** @module @cfile/parquet/nested: lists, maps and structs of Parquet files, as vectors in Arrow's layout. */
export type {
  FieldLevels,
  LeafField,
  ListField,
  MapField,
  ParquetField,
  StructField,
} from "./nested/field-tree.js";
export {
  ListVector,
  MapVector,
  type NestedValue,
  type NestedVector,
  type Slots,
  StructVector,
} from "./nested/nested-vector.js";
export { fieldsOf, type NestedBatch, refusalOf, scanNested } from "./nested/scan-nested.js";
export { sliceNested, takeNested } from "./nested/take-nested.js";
