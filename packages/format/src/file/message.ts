/** Checks the values of generated protobuf messages. */
import { type BlockLocation, corrupt, isCFileError } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import type { BlockPointer, MetadataPair as MetadataPairMessage } from "../generated/decode.js";
import type { MetadataPair } from "./metadata.js";

/** @throws {CFileError} `E_CORRUPT` naming the message, whatever is wrong with its bytes */
export function decodeMessage<T>(bytes: Uint8Array, name: string, decode: (reader: MessageReader) => T): T {
  try {
    return decode(new MessageReader(bytes, name));
  } catch (cause) {
    const reason = isCFileError(cause) ? cause.reason : String(cause);
    throw corrupt(`${name} is not a valid protobuf message: ${reason}`, { field: name, cause });
  }
}

/** @throws {CFileError} `E_CORRUPT` unless the integer is 0 to `max` */
export function checkedInteger(value: number | bigint, field: string, max = Number.MAX_SAFE_INTEGER): number {
  if (value < 0 || value > max) {
    throw corrupt(`invalid ${field} (expected 0 to ${max}, found ${value})`, {
      field,
      actual: String(value),
    });
  }
  return Number(value);
}

export function blockLocation(pointer: BlockPointer | undefined, field: string): BlockLocation | undefined {
  return (
    pointer && {
      offset: checkedInteger(pointer.offset, `${field} offset`),
      size: checkedInteger(pointer.size, `${field} size`, 0x7fffffff),
    }
  );
}

/** Copies of the pairs. */
export function metadataPairs(pairs: readonly MetadataPairMessage[]): MetadataPair[] {
  return pairs.map(({ key, value }) => ({ key, value: value.slice() }));
}
