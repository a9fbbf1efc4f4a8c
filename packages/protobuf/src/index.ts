/** @module @cfile/protobuf: reads and writes the fields of protobuf messages. */
export { MessageReader } from "./message-reader.js";
export { MessageWriter, messageBytes } from "./message-writer.js";
