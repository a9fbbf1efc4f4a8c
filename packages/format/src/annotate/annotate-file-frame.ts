/** Annotates header and footer (docs/spec/cfile.md#31-layout and docs/spec/cfile.md#32-schema), and blocks of Bloom files. */
import { type ByteReader, corrupt } from "@cfile/bytes";
import { DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import { readVarint32, readVarint64BigInt } from "@cfile/varint";
import { hex32 } from "../blocks/block-wrapper.js";
import { type ByteNote, ByteNotes } from "./byte-note.js";
import { binaryText } from "./value-text.js";

type FieldKind =
  | { readonly name: string; readonly number: (value: bigint) => string }
  | { readonly name: string; readonly fields: Fields }
  | { readonly name: string; readonly bytes: true };
type Fields = Readonly<Record<number, FieldKind>>;

const integer = (name: string): FieldKind => ({ name, number: String });
const POINTER: Fields = { 1: integer("offset"), 2: integer("size") };
const TREE: Fields = { 1: { name: "root_block", fields: POINTER } };
const PAIR: Fields = { 1: { name: "key", bytes: true }, 2: { name: "value", bytes: true } };
const COMPRESSIONS = ["DEFAULT_COMPRESSION", "NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB"];

const HEADER: Fields = {
  1: integer("major_version"),
  2: integer("minor_version"),
  3: { name: "metadata", fields: PAIR },
};

function footerFields(): Fields {
  const named = (table: Readonly<Record<string, { readonly id: number } | number>>) => (value: bigint) => {
    const found = Object.entries(table).find(
      ([, info]) => BigInt(typeof info === "number" ? info : info.id) === value,
    );
    return `${value}${found ? `: ${found[0]}` : ""}`;
  };
  return {
    1: { name: "data_type", number: named(DATA_TYPES) },
    2: { name: "encoding", number: named(ENCODING_TYPES) },
    3: integer("num_values"),
    4: { name: "posidx_info", fields: TREE },
    5: { name: "validx_info", fields: TREE },
    6: { name: "compression", number: (value) => `${value}: ${COMPRESSIONS[Number(value)] ?? "?"}` },
    7: { name: "metadata", fields: PAIR },
    8: integer("is_type_nullable"),
    9: { name: "dict_block_ptr", fields: POINTER },
    10: integer("incompatible_features"),
    11: integer("compatible_features"),
    12: integer("is_type_array"),
  };
}

/** Notes on the bytes of a header, checksum included. Never throws. */
export function annotateHeader(bytes: Uint8Array, checksums: boolean): ByteNote[] {
  return ByteNotes.of(bytes, (notes) => {
    notes.skip(8, "magic", "magic", new TextDecoder().decode(bytes.subarray(0, 8)));
    const length = notes.u32le("length", "length of the message");
    noteMessage(notes, notes.position + length, HEADER, "");
    if (checksums) {
      notes.u32le("checksum", "CRC-32C of all preceding bytes", hex32);
    }
  });
}

/** Notes on the bytes of a footer, checksum included. Never throws. */
export function annotateFooter(bytes: Uint8Array, checksums: boolean): ByteNote[] {
  return ByteNotes.of(bytes, (notes) => {
    if (checksums) {
      notes.u32le("checksum", "CRC-32C of all following bytes", hex32);
    }
    noteMessage(notes, bytes.length - 12, footerFields(), "");
    notes.skip(8, "magic", "magic", new TextDecoder().decode(bytes.subarray(-12, -4)));
    notes.u32le("length", "length of the message");
  });
}

/** Notes on the content of a Bloom file's block. Never throws. */
export function annotateBloomBlock(content: Uint8Array): ByteNote[] {
  return ByteNotes.of(content, (notes) => {
    const length = notes.u32le("length", "length of the message");
    noteMessage(notes, notes.position + length, { 1: integer("num_hash_functions") }, "");
    const bits = notes.reader.remaining;
    notes.skip(bits, "bitmap", "bits of the filter", `${8 * bits} bits`);
  });
}

function noteMessage(notes: ByteNotes, end: number, fields: Fields, path: string): void {
  const { reader } = notes;
  reader.require(Math.max(0, end - reader.position), "message");
  while (reader.position < end) {
    const tag = readVarint32(reader, "tag");
    const field = fields[tag >>> 3];
    const name = `${path}${field?.name ?? `field ${tag >>> 3}`}`;
    if ((tag & 7) === 0) {
      const value = readVarint64BigInt(reader, name);
      notes.note("field", name, field && "number" in field ? field.number(value) : String(value));
    } else if ((tag & 7) === 2) {
      noteLengthDelimited(notes, name, field);
    } else {
      noteFixed(notes, reader, tag, name);
    }
  }
}

function noteLengthDelimited(notes: ByteNotes, name: string, field: FieldKind | undefined): void {
  const length = readVarint32(notes.reader, name);
  notes.note("length", `${name}: tag and length`, `${length} bytes`);
  if (field !== undefined && "fields" in field) {
    noteMessage(notes, notes.position + length, field.fields, `${name}.`);
    return;
  }
  const bytes = notes.reader.take(length, name);
  notes.note("field", name, binaryText(bytes));
}

function noteFixed(notes: ByteNotes, reader: ByteReader, tag: number, name: string): void {
  const length = { 1: 8, 5: 4 }[tag & 7];
  if (length === undefined) {
    throw corrupt(`wire type ${tag & 7}`, { offset: reader.position, field: name });
  }
  notes.skip(length, "field", name);
}
