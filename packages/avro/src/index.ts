/** @module @cfile/avro: Avro schemas, values and object containers. */

export { isAvroContainer, readAvroContainer } from "./avro-container.js";
export {
  type AvroDecoder,
  type AvroObject,
  type AvroValue,
  avroDecoder,
  decodeAvro,
  type RecordForm,
} from "./avro-decoder.js";
export { AvroReader } from "./avro-reader.js";
export { type AvroRecord, type AvroType, nonNull, parseAvroSchema } from "./avro-schema.js";
export { signedInteger } from "./signed-integer.js";
