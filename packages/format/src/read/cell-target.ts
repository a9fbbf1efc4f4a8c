/** Converts the value of a search to an index key and to its native form. */
import { type CFileError, invalidOption, utf8Bytes } from "@cfile/bytes";
import { DATA_TYPES, type DataType, type SeekTarget } from "@cfile/encodings";
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

/** @throws {CFileError} `E_INVALID_ARGUMENT` when the value does not fit the type, `E_UNSUPPORTED` for types without keys */
export function cellTarget(type: DataType, value: SearchValue): CellTarget {
  const native = nativeValue(type, value);
  return { key: encodeKey(type, native), native };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` when the value does not fit the type */
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
  if (typeof value === "bigint" && width > 4) {
    return value;
  }
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number)) {
    throw misfit(type, value);
  }
  return number;
}

function misfit(type: DataType, value: SearchValue): CFileError {
  return invalidOption("value", value, `a value of ${type}`);
}
