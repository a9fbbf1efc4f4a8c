/** Values of the generated protobuf messages, checked. */
import { type BlockLocation, CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import type { BlockPointer, MetadataPair as MetadataPairMessage } from "../generated/decode.js";
import type { MetadataPair } from "./metadata.js";

/** Decodes with generated code; its errors become `E_CORRUPT` naming the whole message. */
export function decodeMessage<T>(bytes: Uint8Array, name: string, decode: (reader: MessageReader) => T): T {
  try {
    return decode(new MessageReader(bytes, name));
  } catch (cause) {
    const reason = isCFileError(cause) ? cause.reason : String(cause);
    throw new CFileError("E_CORRUPT", `${name} is not a valid protobuf message: ${reason}`, {
      field: name,
      cause,
    });
  }
}

/** An integer of `0 .. max`. */
export function checkedInteger(value: number | bigint, field: string, max = Number.MAX_SAFE_INTEGER): number {
  if (value < 0 || value > max) {
    throw corrupt(`${field} is ${value}, expected 0 to ${max}`, { field, actual: String(value) });
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

/** The pairs in memory of their own. */
export function metadataPairs(pairs: readonly MetadataPairMessage[]): MetadataPair[] {
  return pairs.map(({ key, value }) => ({ key, value: value.slice() }));
}
