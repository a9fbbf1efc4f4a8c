/** The value of a search, from what a caller passes: as an index key and in its native form. */
import { CFileError, utf8Bytes } from "@cfile/bytes";
import type { DataType, SeekTarget } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { encodeKey } from "@cfile/encodings/keys";

/**
 * A value to search for: a number or bigint for numeric types (stored value), text or bytes for STRING, VARCHAR and
 * BINARY.
 */
export type SearchValue = number | bigint | string | Uint8Array;

export interface CellTarget {
  readonly key: Uint8Array;
  readonly native: SeekTarget;
}

/** @throws CFileError `E_INVALID_ARGUMENT` when the value does not fit the type, `E_UNSUPPORTED` for types without keys */
export function cellTarget(type: DataType, value: SearchValue): CellTarget {
  const native = nativeValue(type, value);
  return { key: encodeKey(type, native), native };
}

/** @throws CFileError `E_INVALID_ARGUMENT` when the value is none of the type */
export function nativeValue(type: DataType, value: SearchValue): SeekTarget {
  const { physical, width } = DATA_TYPES[type];
  if (physical === "BINARY") {
    if (value instanceof Uint8Array) {
      return value;
    }
    if (typeof value === "string" && type !== "BINARY") {
      return utf8Bytes(value);
    }
    throw misfit(type, value);
  }
  if (typeof value === "bigint") {
    return width > 4 ? value : exactNumber(type, value);
  }
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) {
      throw misfit(type, value);
    }
    return value;
  }
  throw misfit(type, value);
}

function exactNumber(type: DataType, value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw misfit(type, value);
  }
  return number;
}

function misfit(type: DataType, value: SearchValue): CFileError {
  return new CFileError("E_INVALID_ARGUMENT", `${String(value)} is not a value of ${type}`, {
    field: "value",
  });
}
