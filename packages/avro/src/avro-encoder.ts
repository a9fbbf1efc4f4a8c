/** Encodes values in Avro's binary encoding, by their schema; the reverse of `avro-decoder.ts`. */
import { type ByteBuilder, invalidArgument, utf8Bytes } from "@cfile/bytes";
import type { AvroObject, AvroValue } from "./avro-decoder.js";
import type { AvroType } from "./avro-schema.js";

/**
 * Appends a value in the form that the decoder returns. Records are objects, without unknown fields; a missing field is null. Unions
 * have at most one type other than null.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a value that does not fit the type, with its path
 */
export function appendAvro(out: ByteBuilder, type: AvroType, value: AvroValue, path = "value"): void {
  switch (type.kind) {
    case "null":
      require(value === null, type, path);
      return;
    case "boolean":
      require(typeof value === "boolean", type, path);
      out.u8(value === true ? 1 : 0);
      return;
    case "int":
    case "long":
      appendLong(out, integer(value, type, path));
      return;
    case "float":
    case "double":
      require(typeof value === "number", type, path);
      appendFloat(out, Number(value), type.kind === "float" ? 4 : 8);
      return;
    case "string":
      require(typeof value === "string", type, path);
      appendSized(out, utf8Bytes(String(value)));
      return;
    case "bytes":
      appendSized(out, bytesOf(value, undefined, type, path));
      return;
    case "fixed":
      out.append(bytesOf(value, type.size, type, path));
      return;
    case "enum": {
      const index = typeof value === "string" ? type.symbols.indexOf(value) : -1;
      require(index >= 0, type, path);
      appendLong(out, BigInt(index));
      return;
    }
    case "array":
      require(Array.isArray(value), type, path);
      appendItems(out, Array.isArray(value) ? value : [], (item, i) =>
        appendAvro(out, type.items, item, `${path}[${i}]`),
      );
      return;
    case "map":
      require(value instanceof Map, type, path);
      appendItems(out, value instanceof Map ? [...value] : [], ([key, item]) => {
        appendSized(out, utf8Bytes(key));
        appendAvro(out, type.values, item, `${path}.${key}`);
      });
      return;
    case "union":
      appendUnion(out, type.branches, value, path);
      return;
    case "record":
      appendRecord(out, type, value, path);
      return;
  }
}

/** Appends a zigzag varint. */
export function appendLong(out: ByteBuilder, value: bigint): void {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; rest >= 0x80n; rest >>= 7n) {
    out.u8(Number(rest & 0x7fn) | 0x80);
  }
  out.u8(Number(rest));
}

/** Appends the length of bytes, then the bytes. */
export function appendSized(out: ByteBuilder, bytes: Uint8Array): void {
  appendLong(out, BigInt(bytes.length));
  out.append(bytes);
}

function appendRecord(
  out: ByteBuilder,
  type: Extract<AvroType, { kind: "record" }>,
  value: AvroValue,
  path: string,
): void {
  if (!isObject(value)) {
    throw mismatch(type, path);
  }
  const names = new Set(type.fields.map(({ name }) => name));
  const unknown = Object.keys(value).find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw invalidArgument(`unknown field of an Avro record: ${path}.${unknown}`, { field: unknown });
  }
  for (const { name, type: own } of type.fields) {
    appendAvro(out, own, value[name] ?? null, `${path}.${name}`);
  }
}

function appendUnion(out: ByteBuilder, branches: readonly AvroType[], value: AvroValue, path: string): void {
  const index = branches.findIndex(({ kind }) => (kind === "null") === (value === null));
  const branch = branches[index];
  if (branch === undefined || branches.filter(({ kind }) => kind !== "null").length > 1) {
    throw invalidArgument(`cannot choose a type of an Avro union: ${path}`, { field: path });
  }
  appendLong(out, BigInt(index));
  appendAvro(out, branch, value, path);
}

/** One block of items, then the empty block that ends an array or map. */
function appendItems<T>(out: ByteBuilder, items: readonly T[], append: (item: T, i: number) => void): void {
  if (items.length > 0) {
    appendLong(out, BigInt(items.length));
    items.forEach(append);
  }
  out.u8(0);
}

function appendFloat(out: ByteBuilder, value: number, size: 4 | 8): void {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  if (size === 4) {
    view.setFloat32(0, value, true);
  } else {
    view.setFloat64(0, value, true);
  }
  out.append(bytes);
}

function integer(value: AvroValue, type: AvroType, path: string): bigint {
  const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
  if (!isInteger || BigInt.asIntN(type.kind === "int" ? 32 : 64, BigInt(value)) !== BigInt(value)) {
    throw mismatch(type, path);
  }
  return BigInt(value);
}

function bytesOf(value: AvroValue, size: number | undefined, type: AvroType, path: string): Uint8Array {
  if (!(value instanceof Uint8Array) || (size !== undefined && value.length !== size)) {
    throw mismatch(type, path);
  }
  return value;
}

function isObject(value: AvroValue): value is AvroObject {
  const isNested = typeof value === "object" && value !== null && !Array.isArray(value);
  return isNested && !(value instanceof Map) && !(value instanceof Uint8Array);
}

function require(holds: boolean, type: AvroType, path: string): void {
  if (!holds) {
    throw mismatch(type, path);
  }
}

function mismatch(type: AvroType, path: string) {
  return invalidArgument(`${path} is not a valid Avro ${type.kind}`, { field: path });
}
