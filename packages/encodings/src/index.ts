/** @module @cfile/encodings: types, vectors, column batches, and every block encoding of the CFile format. */
export {
  ArrayBatch,
  type BatchRows,
  BinaryBatch,
  BoolBatch,
  batchOfVector,
  type ColumnBatch,
  DictionaryBatch,
  FixedBatch,
  type NumberedRows,
  type RowNumbers,
  rowNumbers,
  type ScalarBatch,
} from "./batch/column-batch.js";
export type { InputCell } from "./batch/strings-from-values.js";
export type { BlockDecoding, BlockEncoding, DecodingTable, EncodingTable } from "./codecs/block-codec.js";
export {
  type BlockBuilder,
  type BlockBuilderOptions,
  type BlockDecoder,
  type BlockOpener,
  type BuilderFactory,
  DEFAULT_MAX_DECODED_BYTES,
  type DecodeContext,
  type DictionaryBlockBuilder,
  isDictionaryBuilder,
  type SeekPosition,
  type SeekTarget,
} from "./codecs/block-codec.js";
export {
  encodingsOf,
  loadBlockOpener,
  loadDictionaryReader,
  resolveEncoding,
} from "./codecs/decodings.js";
export { type CellOptions, type CellValue, readInt128, writeInt128 } from "./types/cell-value.js";
export {
  DATA_TYPES,
  type DataType,
  type DataTypeInfo,
  dataTypeFromId,
  type FixedPhysicalType,
  type PhysicalType,
  physicalWidth,
} from "./types/data-type.js";
export { ENCODING_TYPES, type EncodingType, encodingTypeFromId } from "./types/encoding-type.js";
export type {
  BinaryVector,
  BoolVector,
  DictionaryVector,
  FixedValues,
  FixedVector,
  Vector,
} from "./types/vector.js";
