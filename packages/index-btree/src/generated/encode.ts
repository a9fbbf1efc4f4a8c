// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { IndexTrailer } from "./decode.js";

export function encodeIndexTrailer(writer: MessageWriter, message: IndexTrailer): void {
  writer.int32(1, message.numEntries);
  writer.int32(2, message.type);
}
