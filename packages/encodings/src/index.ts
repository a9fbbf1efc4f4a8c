/** @module @cfile/encodings: types, vectors, column batches, and every block encoding of the CFile format. */
export { type AlignedRows, alignBatches } from "./align-batches.js";
export { type ArrayBlock, type ArrayBlockParts, encodeArrayBlock, parseArrayBlock } from "./array-header.js";
export { findDescent } from "./ascending.js";
export { batchFromValues, type InputColumn, MAX_ARRAY_ELEMENTS } from "./batch-from-values.js";
export { packBits, packedByteLength, unpackBits } from "./bit-packing.js";
export { createBitshuffleBuilder, openBitshuffleBlock } from "./bitshuffle-block.js";
export {
  type BlockBuilder,
  type BlockBuilderOptions,
  type BlockDecoder,
  type BlockOpener,
  DEFAULT_MAX_DECODED_BYTES,
  type DecodeContext,
  type DictionaryBlockBuilder,
  type SeekPosition,
  type SeekTarget,
} from "./block-codec.js";
export { type CellCondition, type ConditionOp, ConditionTest } from "./cell-test.js";
export { type CellOptions, type CellValue, readInt128, writeInt128 } from "./cell-value.js";
export {
  ArrayBatch,
  type BatchRows,
  BinaryBatch,
  BoolBatch,
  batchOfVector,
  type ColumnBatch,
  DictionaryBatch,
  FixedBatch,
  type ScalarBatch,
} from "./column-batch.js";
export { decodeCompositeKey, encodeCompositeKey } from "./composite-key.js";
export { type BatchRange, concatBatches } from "./concat-batches.js";
export { createBlockBuilder, isDictionaryBuilder } from "./create-block-builder.js";
export {
  DATA_TYPES,
  type DataType,
  type DataTypeInfo,
  dataTypeFromId,
  type FixedPhysicalType,
  type PhysicalType,
  physicalWidth,
} from "./data-type.js";
export { createDictionaryBuilder, openDictionaryBlock, openDictionaryWords } from "./dictionary.js";
export {
  ENCODING_TYPES,
  type EncodingType,
  encodingsOf,
  encodingTypeFromId,
  resolveEncoding,
} from "./encoding-type.js";
export { expandDictionaries, expandDictionary } from "./expand-dictionary.js";
export { gatherVector } from "./gather.js";
export type { InputCell } from "./input-misfit.js";
export { decodeKey, encodeIntegerKey, encodeKey, encodeVectorKey, type KeyValue } from "./key.js";
export { afterPrefix, keyAfter, lowerBound, upperBound } from "./key-bounds.js";
export { encodeNullableBlock, type NullableBlock, parseNullableBlock } from "./null-header.js";
export { openBlock } from "./open-block.js";
export { openPlainBinaryBlock } from "./plain-binary-block.js";
export { createPlainBinaryBuilder } from "./plain-binary-builder.js";
export { createPlainBoolBuilder, openPlainBoolBlock } from "./plain-bool.js";
export { createPlainFixedBuilder, openPlainFixedBlock } from "./plain-fixed.js";
export { openPrefixBlock } from "./prefix-block.js";
export { createPrefixBuilder } from "./prefix-builder.js";
export { createRleBuilder, openRleBlock, type RlePhysicalType } from "./rle-block.js";
export { RleDecoder, rleDecode } from "./rle-decoder.js";
export { RleEncoder, rleEncode } from "./rle-encoder.js";
export { scatterVector } from "./scatter.js";
export { separatingKey } from "./separating-key.js";
export { type SortedVector, sortedVector } from "./sorted-vector.js";
export { copyBytes, sliceRows, takeRows } from "./take-rows.js";
export {
  allocateFixed,
  type BinaryVector,
  type BoolVector,
  bytesOf,
  type DictionaryVector,
  type FixedValues,
  type FixedVector,
  type Vector,
} from "./vector.js";
