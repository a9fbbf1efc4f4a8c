/** @module @cfile/protobuf: fields of protobuf messages, read and written; what code made of `.proto` files runs on. */
export { MessageReader } from "./message-reader.js";
export { MessageWriter, messageBytes } from "./message-writer.js";
