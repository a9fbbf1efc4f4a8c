/**
 * Composite keys: the key columns of a row as one key (docs/spec/cfile.md#8-composite-keys), in column order.
 *
 * | column | coding |
 * | --- | --- |
 * | fixed width | its key (`key.ts`), nothing after it |
 * | BINARY, not the last column | each byte `00` as `00 01`, then `00 00` |
 * | BINARY, last column | the bytes themselves |
 */
import { ByteBuilder, corrupt, invalidArgument, invalidOption } from "@cfile/bytes";
import { DATA_TYPES, type DataType, physicalWidth } from "../types/data-type.js";
import { decodeIntegerKey, encodeKey, type KeyValue, keyPhysicalType } from "./key.js";

const FIELD = "composite key";

/**
 * The key of one row.
 *
 * @param types of the key columns, at least one
 * @param values as for {@link encodeKey}, one per type
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a value that does not fit its type; `E_UNSUPPORTED` for a type
 *   without keys
 */
export function encodeCompositeKey(types: readonly DataType[], values: readonly KeyValue[]): Uint8Array {
  requireColumns(types);
  if (values.length !== types.length) {
    throw invalidOption(FIELD, `${values.length} values`, `${types.length}, one per key column`);
  }
  const [only, ...others] = types;
  if (only !== undefined && others.length === 0) {
    return encodeKey(only, values[0] as KeyValue);
  }
  const out = new ByteBuilder(16 * types.length);
  types.forEach((type, column) => {
    const key = encodeKey(type, values[column] as KeyValue);
    if (DATA_TYPES[type].physical === "BINARY" && column < types.length - 1) {
      appendTerminated(out, key);
    } else {
      out.append(key);
    }
  });
  return out.finish();
}

function requireColumns(types: readonly DataType[]): void {
  if (types.length === 0) {
    throw invalidArgument("a key requires at least one column", { field: FIELD });
  }
}

function appendTerminated(out: ByteBuilder, bytes: Uint8Array): void {
  const buffer = out.reserve(2 * bytes.length + 2);
  let position = out.length;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    buffer[position++] = byte;
    if (byte === 0) {
      buffer[position++] = 1;
    }
  }
  buffer[position++] = 0;
  buffer[position++] = 0;
  out.length = position;
}

/**
 * The values of a composite key: numbers up to 32 bits, bigint above, bytes for strings.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` (Kudu's category): the key ends inside a value, or a string has no terminator.
 *   `E_CORRUPT`: a byte after `00` that is neither `00` nor `01`, or bytes after the last column. `E_UNSUPPORTED`: a type
 *   without keys.
 */
export function decodeCompositeKey(types: readonly DataType[], key: Uint8Array): KeyValue[] {
  requireColumns(types);
  let position = 0;
  const values = types.map((type, column): KeyValue => {
    const physical = keyPhysicalType(type);
    const start = position;
    if (physical !== "BINARY") {
      position += physicalWidth(physical);
      return decodeIntegerKey(physical, key, start);
    }
    if (column === types.length - 1) {
      position = key.length;
      return key.slice(start);
    }
    const { value, end } = readTerminated(key, start);
    position = end;
    return value;
  });
  if (position < key.length) {
    throw corrupt("extra bytes after the last key column", { offset: position, field: FIELD });
  }
  return values;
}

/** The string at `start` without its escapes, and where its terminator ends. */
function readTerminated(key: Uint8Array, start: number): { value: Uint8Array; end: number } {
  const value = new Uint8Array(key.length - start);
  for (let i = start, length = 0; i + 1 < key.length; i++) {
    value[length++] = key[i] as number;
    if (key[i] === 0) {
      const next = key[++i] as number;
      if (next === 0) {
        return { value: value.slice(0, length - 1), end: i + 1 };
      }
      if (next !== 1) {
        throw corrupt(`invalid escape: 00 before ${next} (must be 0 or 1)`, { offset: i - 1, field: FIELD });
      }
    }
  }
  throw invalidArgument("a string of a key has no terminator", { offset: start, field: FIELD });
}
