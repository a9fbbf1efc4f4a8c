/** @module @cfile/encodings: types, vectors, column batches, and every block encoding of the CFile format. */
export { type AlignedRows, alignBatches } from "./batch/align-batches.js";
export { batchFromValues, type InputColumn, MAX_ARRAY_ELEMENTS } from "./batch/batch-from-values.js";
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
} from "./batch/column-batch.js";
export { type BatchRange, concatBatches } from "./batch/concat-batches.js";
export { expandDictionaries, expandDictionary } from "./batch/expand-dictionary.js";
export { gatherVector } from "./batch/gather.js";
export { scatterVector } from "./batch/scatter.js";
export { copyBytes, sliceRows, takeRows } from "./batch/take-rows.js";
export { createBitshuffleBuilder, openBitshuffleBlock } from "./codecs/bitshuffle/bitshuffle-block.js";
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
} from "./codecs/block-codec.js";
export { createBlockBuilder, isDictionaryBuilder } from "./codecs/create-block-builder.js";
export {
  createDictionaryBuilder,
  openDictionaryBlock,
  openDictionaryWords,
} from "./codecs/dictionary/dictionary.js";
export {
  type ArrayBlock,
  type ArrayBlockParts,
  encodeArrayBlock,
  parseArrayBlock,
} from "./codecs/headers/array-header.js";
export { encodeNullableBlock, type NullableBlock, parseNullableBlock } from "./codecs/headers/null-header.js";
export { openBlock } from "./codecs/open-block.js";
export { openPlainBinaryBlock } from "./codecs/plain/plain-binary-block.js";
export { createPlainBinaryBuilder } from "./codecs/plain/plain-binary-builder.js";
export { createPlainBoolBuilder, openPlainBoolBlock } from "./codecs/plain/plain-bool.js";
export { createPlainFixedBuilder, openPlainFixedBlock } from "./codecs/plain/plain-fixed.js";
export { openPrefixBlock } from "./codecs/prefix/prefix-block.js";
export { createPrefixBuilder } from "./codecs/prefix/prefix-builder.js";
export { packBits, packedByteLength, unpackBits } from "./codecs/rle/bit-packing.js";
export { createRleBuilder, openRleBlock, type RlePhysicalType } from "./codecs/rle/rle-block.js";
export { RleDecoder, rleDecode } from "./codecs/rle/rle-decoder.js";
export { RleEncoder, rleEncode } from "./codecs/rle/rle-encoder.js";
export { findDescent } from "./conditions/ascending.js";
export { type CellCondition, type ConditionOp, ConditionTest } from "./conditions/cell-test.js";
export { type SortedVector, sortedVector } from "./conditions/sorted-vector.js";
export { decodeCompositeKey, encodeCompositeKey } from "./keys/composite-key.js";
export { decodeKey, encodeIntegerKey, encodeKey, encodeVectorKey, type KeyValue } from "./keys/key.js";
export { afterPrefix, keyAfter, lowerBound, upperBound } from "./keys/key-bounds.js";
export { separatingKey } from "./keys/separating-key.js";
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
export {
  ENCODING_TYPES,
  type EncodingType,
  encodingsOf,
  encodingTypeFromId,
  resolveEncoding,
} from "./types/encoding-type.js";
export type { InputCell } from "./types/input-misfit.js";
export {
  allocateFixed,
  type BinaryVector,
  type BoolVector,
  bytesOf,
  type DictionaryVector,
  type FixedValues,
  type FixedVector,
  type Vector,
} from "./types/vector.js";
