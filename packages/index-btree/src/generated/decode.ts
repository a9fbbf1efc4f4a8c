// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface IndexTrailer {
  readonly numEntries: number;
  readonly type: number;
}

export function decodeIndexTrailer(reader: MessageReader, into?: IndexTrailer): IndexTrailer {
  let numEntries = into?.numEntries;
  let type = into?.type;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        numEntries = reader.int32("num_entries");
        break;
      case 2:
        type = reader.int32("index block type");
        break;
      default:
        reader.skip();
    }
  }
  return {
    numEntries: reader.required(numEntries, "num_entries"),
    type: reader.required(type, "index block type"),
  };
}
