// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { BloomBlockHeader } from "./decode.js";

export function encodeBloomBlockHeader(writer: MessageWriter, message: BloomBlockHeader): void {
  writer.int32(1, message.numHashFunctions);
}
