/**
 * Keys: values as bytes that compare like the values (docs/spec/cfile.md#72-keys).
 *
 * | physical type | key |
 * | --- | --- |
 * | unsigned integer | big-endian |
 * | signed integer | sign bit flipped, big-endian |
 * | BINARY | the bytes themselves |
 * | BOOL, FLOAT, DOUBLE | none |
 *
 * Keys compare as unsigned bytes, a shorter prefix first (`compareBytes`).
 */
import { CFileError, corrupt, invalidArgument, invalidOption } from "@cfile/bytes";
import { requireRange } from "../types/checks.js";
import { DATA_TYPES, type DataType, type PhysicalType, physicalWidth } from "../types/data-type.js";
import { bytesOf, type Vector } from "../types/vector.js";

/** A value of a key: 64 and 128 bits as bigint, strings as bytes. */
export type KeyValue = number | bigint | Uint8Array;

/** The physical type of keys. @throws {CFileError} `E_UNSUPPORTED` for BOOL, FLOAT, DOUBLE and IS_DELETED */
export function keyPhysicalType(type: DataType): PhysicalType {
  const { physical, isKey } = DATA_TYPES[type];
  if (!isKey) {
    throw unsupported(type);
  }
  return physical;
}

function unsupported(type: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `${type} values have no key encoding`, { field: "data_type" });
}

function isSigned(physical: PhysicalType): boolean {
  return !physical.startsWith("UINT");
}

/**
 * The key of one value: an integer as number (if safe) or bigint, decimals unscaled; strings as bytes.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a value that does not fit the type; `E_UNSUPPORTED` for a type
 *   without keys
 */
export function encodeKey(type: DataType, value: KeyValue): Uint8Array {
  const physical = keyPhysicalType(type);
  if (physical === "BINARY") {
    if (!(value instanceof Uint8Array)) {
      throw invalidArgument(`${String(value)} does not fit ${type}: bytes are expected`, { field: "key" });
    }
    return value.slice();
  }
  const key = new Uint8Array(physicalWidth(physical));
  encodeIntegerKey(type, value, key);
  return key;
}

/** The sign bit of a 64-bit word. */
const SIGN = 1n << 63n;

/**
 * {@link encodeKey} of an integer into `key`, which has exactly its width, so that repeated lookups allocate nothing.
 *
 * @throws {CFileError} as {@link encodeKey}
 */
export function encodeIntegerKey(type: DataType, value: KeyValue, key: Uint8Array): void {
  const physical = keyPhysicalType(type);
  const width = physicalWidth(physical);
  const signed = isSigned(physical);
  if (value instanceof Uint8Array || (typeof value === "number" && !Number.isSafeInteger(value))) {
    throw doesNotFit(type, value, "an integer is expected");
  }
  if (physical === "BINARY" || key.length !== width) {
    throw invalidOption("key", key.length, `${width} bytes, the width of ${type}`);
  }
  const bits = 8 * width;
  if (width < 8 || (width === 8 && typeof value === "number")) {
    const min = signed ? -(2 ** (bits - 1)) : 0;
    if (value < min || value >= min + 2 ** bits) {
      throw doesNotFit(type, value, "out of range");
    }
    putSafeInteger(Number(value), key, signed);
    return;
  }
  const integer = BigInt(value);
  if (integer !== (signed ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer))) {
    throw doesNotFit(type, value, "out of range");
  }
  const view = new DataView(key.buffer, key.byteOffset, width);
  view.setBigUint64(width - 8, BigInt.asUintN(64, integer));
  if (width === 16) {
    view.setBigUint64(0, BigInt.asUintN(64, integer >> 64n));
  }
  flipSign(key, signed);
}

function putSafeInteger(value: number, key: Uint8Array, signed: boolean): void {
  let low = value | 0;
  let high = Math.floor(value / 2 ** 32);
  for (let i = key.length - 1; i >= 0; i--) {
    key[i] = low;
    low = (low >>> 8) | (high << 24);
    high >>= 8;
  }
  flipSign(key, signed);
}

/** Makes the bytes of big-endian signed integers compare like the integers. */
function flipSign(key: Uint8Array, signed: boolean): void {
  if (signed) {
    key[0] = (key[0] as number) ^ 0x80;
  }
}

function doesNotFit(type: DataType, value: KeyValue, reason: string): CFileError {
  const actual = String(value);
  return invalidArgument(`${actual} does not fit ${type}: ${reason}`, { field: "key", actual });
}

/**
 * The value of a whole key (not of a separating key, which may be cut): numbers up to 32 bits, bigint above, bytes
 * for strings.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the key is too short (Kudu's category), `E_CORRUPT` when it is too
 *   long; `E_UNSUPPORTED` for a type without keys
 */
export function decodeKey(type: DataType, key: Uint8Array): KeyValue {
  const physical = keyPhysicalType(type);
  if (physical === "BINARY") {
    return key.slice();
  }
  const value = decodeIntegerKey(physical, key, 0);
  if (key.length > physicalWidth(physical)) {
    throw corrupt(`extra bytes after a key of ${type}`, { offset: physicalWidth(physical), field: "key" });
  }
  return value;
}

/**
 * The integer whose key is at `start` of `bytes`; later bytes are ignored.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the bytes end inside the key
 */
export function decodeIntegerKey(physical: PhysicalType, bytes: Uint8Array, start: number): number | bigint {
  const expected = physicalWidth(physical);
  const actual = bytes.length - start;
  if (actual < expected) {
    const details = { offset: start, field: "key", expected, actual };
    throw invalidArgument(`a key of ${physical} ends early`, details);
  }
  const signed = isSigned(physical);
  if (expected <= 4) {
    // Signed keys count from the minimum.
    let value = signed ? -(2 ** (8 * expected - 1)) : 0;
    for (let i = 0; i < expected; i++) {
      value += (bytes[start + i] as number) * 2 ** (8 * (expected - 1 - i));
    }
    return value;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, expected);
  const first = view.getBigUint64(0);
  const high = signed ? BigInt.asIntN(64, first ^ SIGN) : first;
  return expected === 8 ? high : (high << 64n) | view.getBigUint64(8);
}

/**
 * The key of the value at `index` of a vector or a batch without arrays.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for BOOL, FLOAT and DOUBLE; `E_INVALID_ARGUMENT` for an index outside the vector
 */
export function encodeVectorKey(vector: Vector, index: number): Uint8Array {
  requireRange(index, index + 1, vector.length);
  switch (vector.kind) {
    case "fixed": {
      const { physical, values } = vector;
      if (physical === "FLOAT" || physical === "DOUBLE") {
        throw unsupported(physical);
      }
      const width = physicalWidth(physical);
      const key = bytesOf(values)
        .slice(index * width, (index + 1) * width)
        .reverse();
      flipSign(key, isSigned(physical));
      return key;
    }
    case "binary":
      return vector.data.slice(vector.offsets[index], vector.offsets[index + 1]);
    case "dictionary": {
      const { offsets, data } = vector.dictionary;
      const code = vector.codes[index] as number;
      return data.slice(offsets[code], offsets[code + 1]);
    }
    case "bool":
      throw unsupported("BOOL");
  }
}
