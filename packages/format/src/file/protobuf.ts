/** Bridges to the generated protobuf code that decodes: typed errors and checked integers. */
import { type BlockLocation, CFileError, corrupt } from "@cfile/bytes";
import { cfile } from "../generated/decode-cfile-proto.js";
import type { MetadataPair } from "./metadata.js";

export const { Footer, Header } = cfile.format;

/** Decodes with the generated code; its errors become `E_CORRUPT` naming `field`. */
export function decodeProtobuf<T>(field: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new CFileError("E_CORRUPT", `${field} is not a valid protobuf message: ${reasonOf(cause)}`, {
      field,
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A 64-bit field (number or Long) as an integer of `0 .. max`. */
export function checkedInteger(value: unknown, field: string, max = Number.MAX_SAFE_INTEGER): number {
  const number = Number(value);
  if (!(Number.isSafeInteger(number) && number >= 0 && number <= max)) {
    throw corrupt(`${field} is ${value}, expected 0 to ${max}`, { field, actual: String(value) });
  }
  return number;
}

export function blockLocation(
  pointer: { offset: unknown; size: unknown } | null | undefined,
  field: string,
): BlockLocation | undefined {
  if (pointer === null || pointer === undefined) {
    return undefined;
  }
  return {
    offset: checkedInteger(pointer.offset, `${field} offset`),
    size: checkedInteger(pointer.size, `${field} size`, 0x7fffffff),
  };
}

export function metadataPairs(
  pairs: readonly { key: string; value: Uint8Array }[] | null | undefined,
): MetadataPair[] {
  return (pairs ?? []).map(({ key, value }) => ({ key, value: value.slice() }));
}
