// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface BloomBlockHeader {
  readonly numHashFunctions: number;
}

export function decodeBloomBlockHeader(reader: MessageReader, into?: BloomBlockHeader): BloomBlockHeader {
  let numHashFunctions = into?.numHashFunctions;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        numHashFunctions = reader.int32("num_hash_functions");
        break;
      default:
        reader.skip();
    }
  }
  return {
    numHashFunctions: reader.required(numHashFunctions, "num_hash_functions"),
  };
}
