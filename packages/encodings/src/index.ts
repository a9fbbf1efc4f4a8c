/** @module @cfile/encodings: types, vectors, column batches, and every block encoding of the CFile format. */
export type { BatchRows, ColumnBatch, NumberedRows, RowNumbers, ScalarBatch } from "./batch/column-batch.js";
export {
  ArrayBatch,
  BinaryBatch,
  BoolBatch,
  batchOfVector,
  DictionaryBatch,
  FixedBatch,
  rowNumbers,
} from "./batch/column-batch.js";
export type { InputCell } from "./batch/strings-from-values.js";
export type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  BlockDecoding,
  BlockEncoding,
  BlockOpener,
  BuilderFactory,
  DecodeContext,
  DecodingTable,
  DictionaryBlockBuilder,
  EncodingTable,
  SeekPosition,
  SeekTarget,
} from "./codecs/block-codec.js";
export { DEFAULT_MAX_DECODED_BYTES, isDictionaryBuilder } from "./codecs/block-codec.js";
export { encodingsOf, loadBlockOpener, loadDictionaryReader, resolveEncoding } from "./codecs/decodings.js";
export { type CellOptions, type CellValue, readInt128, writeInt128 } from "./types/cell-value.js";
export type { DataType, DataTypeInfo, FixedPhysicalType, PhysicalType } from "./types/data-type.js";
export { DATA_TYPES, dataTypeFromId, physicalWidth } from "./types/data-type.js";
export { ENCODING_TYPES, type EncodingType, encodingTypeFromId } from "./types/encoding-type.js";
export type {
  BinaryVector,
  BoolVector,
  DictionaryVector,
  FixedValues,
  FixedVector,
  Vector,
} from "./types/vector.js";
