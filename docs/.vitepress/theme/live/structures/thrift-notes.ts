/** Names the fields of a structure in Thrift's compact protocol (docs/spec/parquet.md#thrift-compact-protocol). */
import { corrupt } from "@cfile/bytes";
import type { ByteNotes } from "@cfile/format/blocks";
import { readVarint32, readVarint64BigInt } from "@cfile/varint";
import { textOf } from "./protobuf-notes.js";

/** The fields of a structure by number: their names, and the shapes of structures in them, also in lists. */
export interface StructShape {
  readonly [field: number]: string | readonly [name: string, shape: StructShape];
}

const [TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12,
] as const;
const MAX_DEPTH = 12;

/** @returns the integers of the structure, by their names with the names of the structures around them */
export function noteStruct(
  notes: ByteNotes,
  shape: StructShape,
  prefix = "",
  found = new Map<string, number>(),
  depth = 0,
): ReadonlyMap<string, number> {
  const { reader } = notes;
  if (depth > MAX_DEPTH) {
    throw corrupt("structures nest too deeply", { offset: reader.position });
  }
  for (let id = 0; ; ) {
    const head = reader.u8("field header");
    if (head === 0) {
      notes.note("field", `${prefix || "structure "}end`);
      return found;
    }
    id = head >>> 4 === 0 ? zigzag(readVarint32(reader, "field id")) : id + (head >>> 4);
    const known = shape[id] ?? `field ${id}`;
    const [label, inner] = typeof known === "string" ? [known, {}] : known;
    noteValue(notes, head & 15, { name: `${prefix}${label}`, inner, found, depth });
  }
}

interface Context {
  readonly name: string;
  readonly inner: StructShape;
  readonly found: Map<string, number>;
  readonly depth: number;
}

function noteValue(notes: ByteNotes, type: number, { name, inner, found, depth }: Context): void {
  const { reader } = notes;
  switch (type) {
    case TRUE:
    case FALSE:
      notes.note("field", name, String(type === TRUE));
      break;
    case BYTE:
      notes.note("field", name, String(reader.u8(name)));
      break;
    case I16:
    case I32:
    case I64: {
      const raw = readVarint64BigInt(reader, name);
      const value = Number((raw >> 1n) ^ -(raw & 1n));
      found.set(name, value);
      notes.note("field", name, String(value));
      break;
    }
    case DOUBLE:
      notes.skip(8, "field", name);
      break;
    case BINARY: {
      const length = readVarint32(reader, name);
      notes.note("length", `${name}: length`, String(length));
      if (length > 0) {
        reader.require(length, name);
        notes.skip(
          length,
          "value",
          name,
          textOf(reader.bytes.subarray(reader.position, reader.position + length)),
        );
      }
      break;
    }
    case LIST:
    case SET:
      noteList(notes, { name, inner, found, depth });
      break;
    case STRUCT:
      notes.note("field", `${name}: structure`);
      noteStruct(notes, inner, `${name}.`, found, depth + 1);
      break;
    default:
      throw corrupt(`invalid type ${type}`, { offset: reader.position, field: name });
  }
}

function noteList(notes: ByteNotes, context: Context): void {
  const { reader } = notes;
  const head = reader.u8(context.name);
  const count = head >>> 4 === 15 ? readVarint32(reader, context.name) : head >>> 4;
  notes.note("count", `${context.name}: list`, String(count));
  if (count > reader.remaining) {
    throw corrupt(`list of ${count} elements`, { offset: reader.position, field: context.name });
  }
  for (let i = 0; i < count; i++) {
    const type = head & 15;
    if (type === TRUE || type === FALSE) {
      notes.skip(1, "field", context.name);
    } else if (type === STRUCT) {
      noteStruct(notes, context.inner, `${context.name}[${i}].`, context.found, context.depth + 1);
    } else {
      noteValue(notes, type, context);
    }
  }
}

function zigzag(raw: number): number {
  return (raw >>> 1) ^ -(raw & 1);
}
