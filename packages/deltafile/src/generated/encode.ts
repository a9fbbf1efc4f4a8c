// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageWriter } from "@cfile/protobuf/write";
import type { DeltaStats, ColumnStats } from "./decode.js";

export function encodeDeltaStats(writer: MessageWriter, message: DeltaStats): void {
  writer.count(1, message.deleteCount);
  writer.fixed64(3, message.minTimestamp);
  writer.fixed64(4, message.maxTimestamp);
  for (const each of message.columnStats) {
    writer.message(5, encodeColumnStats, each);
  }
  writer.count(6, message.reinsertCount);
}

export function encodeColumnStats(writer: MessageWriter, message: ColumnStats): void {
  writer.int32(1, message.colId);
  writer.count(2, message.updateCount);
}
