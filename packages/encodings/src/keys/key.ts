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
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import { requireRange } from "../conditions/value-range.js";
import { readInt128, writeInt128 } from "../types/cell-value.js";
import { DATA_TYPES, type DataType, type PhysicalType, physicalWidth } from "../types/data-type.js";
import { type BinaryVector, bytesOf, type Vector } from "../types/vector.js";

/** A value as keys take and give it: 64 and 128 bits as bigint, strings as bytes. */
export type KeyValue = number | bigint | Uint8Array;

/**
 * The physical type of the keys of `type`.
 *
 * @throws CFileError `E_UNSUPPORTED` for BOOL, FLOAT, DOUBLE and IS_DELETED
 */
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
 * @throws CFileError `E_INVALID_ARGUMENT` for a value that does not fit the type; `E_UNSUPPORTED` for a type
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

/**
 * {@link encodeKey} of an integer into `key`, which has just its width: what looks up many values needs no memory for each.
 *
 * @throws CFileError as {@link encodeKey}
 */
export function encodeIntegerKey(type: DataType, value: KeyValue, key: Uint8Array): void {
  const physical = keyPhysicalType(type);
  const width = physicalWidth(physical);
  const signed = isSigned(physical);
  if (value instanceof Uint8Array || (typeof value === "number" && !Number.isSafeInteger(value))) {
    throw invalidArgument(`a value of ${type} is an integer`, { field: "key", actual: String(value) });
  }
  if (physical === "BINARY" || key.length !== width) {
    throw invalidArgument(`the key of a ${type} takes ${width} bytes`, { field: "key", actual: key.length });
  }
  if (typeof value === "number" && width <= 8) {
    encodeSafeInteger(type, value, key, signed);
    return;
  }
  const integer = BigInt(value);
  const bits = 8 * width;
  if (integer !== (signed ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer))) {
    throw doesNotFit(type, value);
  }
  if (width === 8) {
    const view = new DataView(key.buffer, key.byteOffset, 8);
    view.setBigUint64(0, signed ? BigInt.asUintN(64, integer) ^ (1n << 63n) : integer);
    return;
  }
  const bytes = new Uint8Array(16);
  writeInt128(bytes, 0, integer);
  key.set(bigEndianKey(bytes, 0, width, signed));
}

function encodeSafeInteger(type: DataType, value: number, key: Uint8Array, signed: boolean): void {
  const width = key.length;
  const values = 2 ** (8 * width);
  const least = signed ? -values / 2 : 0;
  if (value < least || value >= least + values) {
    throw doesNotFit(type, value);
  }
  // Signed keys count from the least value on.
  let low = value | 0;
  let high = Math.floor(value / 2 ** 32);
  for (let i = width - 1; i >= 0; i--) {
    key[i] = low;
    low = (low >>> 8) | (high << 24);
    high >>= 8;
  }
  if (signed) {
    key[0] = (key[0] as number) ^ 0x80;
  }
}

function doesNotFit(type: DataType, value: number | bigint): CFileError {
  return invalidArgument(`${value} does not fit ${type}`, { field: "key", actual: String(value) });
}

/**
 * The value of a whole key (not of a separating key, which may be cut): numbers up to 32 bits, bigint above, bytes
 * for strings.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when the key is too short (Kudu's category), `E_CORRUPT` when it is too
 *   long; `E_UNSUPPORTED` for a type without keys
 */
export function decodeKey(type: DataType, key: Uint8Array): KeyValue {
  const physical = keyPhysicalType(type);
  if (physical === "BINARY") {
    return key.slice();
  }
  const value = decodeIntegerKey(physical, key, 0);
  if (key.length > physicalWidth(physical)) {
    throw corrupt(`bytes after a key of ${type}`, { offset: physicalWidth(physical), field: "key" });
  }
  return value;
}

/**
 * The integer whose key stands at `start` of `bytes`; the bytes after it are not looked at.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when the bytes end inside
 */
export function decodeIntegerKey(physical: PhysicalType, bytes: Uint8Array, start: number): number | bigint {
  const width = physicalWidth(physical);
  if (bytes.length - start < width) {
    throw invalidArgument(`a key of ${physical} takes ${width} bytes, ${bytes.length - start} are left`, {
      offset: start,
      field: "key",
      expected: width,
      actual: bytes.length - start,
    });
  }
  const signed = isSigned(physical);
  if (width <= 4) {
    // Signed keys count from the least value on.
    let value = signed ? -(2 ** (8 * width - 1)) : 0;
    for (let i = 0; i < width; i++) {
      value += (bytes[start + i] as number) * 2 ** (8 * (width - 1 - i));
    }
    return value;
  }
  if (width === 8) {
    const raw = new DataView(bytes.buffer, bytes.byteOffset + start, 8).getBigUint64(0);
    return signed ? BigInt.asIntN(64, raw ^ (1n << 63n)) : raw;
  }
  const key = bytes.subarray(start, start + width);
  const little = new Uint8Array(16);
  for (let i = 0; i < width; i++) {
    little[width - 1 - i] = key[i] as number;
  }
  if (signed) {
    little[width - 1] = (little[width - 1] as number) ^ 0x80;
  }
  const bits = 8 * width;
  const raw = readInt128(little, 0);
  return signed ? BigInt.asIntN(bits, raw) : BigInt.asUintN(bits, raw);
}

/**
 * The key of the value at `index` of a vector or a batch without arrays.
 *
 * @throws CFileError `E_UNSUPPORTED` for BOOL, FLOAT and DOUBLE; `E_INVALID_ARGUMENT` for an index outside
 */
export function encodeVectorKey(vector: Vector, index: number): Uint8Array {
  requireRange(index, index + 1, vector.length);
  switch (vector.kind) {
    case "fixed": {
      const { physical } = vector;
      if (physical === "FLOAT" || physical === "DOUBLE") {
        throw unsupported(physical);
      }
      const width = physicalWidth(physical);
      return bigEndianKey(bytesOf(vector.values), index * width, width, isSigned(physical));
    }
    case "binary":
      return binaryKey(vector, index);
    case "dictionary":
      return binaryKey(vector.dictionary, vector.codes[index] as number);
    case "bool":
      throw unsupported("BOOL");
  }
}

function binaryKey({ offsets, data }: Pick<BinaryVector, "offsets" | "data">, index: number): Uint8Array {
  return data.slice(offsets[index], offsets[index + 1]);
}

/** `width` little-endian bytes at `start`, reversed, the sign bit flipped if there is one. */
function bigEndianKey(bytes: Uint8Array, start: number, width: number, signed: boolean): Uint8Array {
  const key = new Uint8Array(width);
  for (let i = 0; i < width; i++) {
    key[i] = bytes[start + width - 1 - i] as number;
  }
  if (signed) {
    key[0] = (key[0] as number) ^ 0x80;
  }
  return key;
}
