/** @module @cfile/avro/write: write Avro values and object containers. */
export { appendAvro } from "./avro-encoder.js";
export { type AvroContainerOptions, writeAvroContainer } from "./write-container.js";
