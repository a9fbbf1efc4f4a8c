/** Cells of HFiles, as they are and in each data-block encoding (docs/spec/hfile.md#5-data-block-body). */
import { CFileError } from "@cfile/bytes";
import { ByteNotes } from "@cfile/format/blocks";
import { CELL_TYPES, type CellLayout, HFILE_LIMITS, parseCells } from "@cfile/hfile";
import { decodeDataBlock } from "@cfile/hfile/blocks";
import type { Arguments, Structure } from "../../reading.js";
import { valueText } from "../../value-text.js";
import { textOf } from "../protobuf-notes.js";

const TIMESTAMP_AND_TYPE = 9;

export const cells: Structure = {
  note: (bytes, args) => ByteNotes.of(bytes, (notes) => noteCells(notes, bytes.length, layoutOf(args))),
  read: (bytes, args) => cellLines(bytes, layoutOf(args)),
};

/** The body of a block `DATABLKE`, starting with the number of its encoding. */
export const encodedCells: Structure = {
  note: (bytes, args) =>
    ByteNotes.of(bytes, (notes) => {
      const id = (notes.reader.u8("encoding") << 8) | notes.reader.u8("encoding");
      const [name, note] = ENCODINGS[id] ?? [];
      notes.note("magic", "encoding", name ?? String(id));
      note?.(notes, layoutOf(args));
    }),
  read: (bytes, args) => {
    const layout = layoutOf(args);
    return cellLines(decodeDataBlock(bytes, layout, HFILE_LIMITS), layout);
  },
};

type NoteCells = (notes: ByteNotes, layout: CellLayout) => void;

const ENCODINGS: Readonly<Record<number, readonly [string, NoteCells]>> = {
  2: ["PREFIX", notePrefix],
  3: ["DIFF", noteDiff],
  4: ["FAST_DIFF", noteFastDiff],
  7: ["ROW_INDEX_V1", noteRowIndex],
};

function layoutOf({ mvcc = true }: Arguments): CellLayout {
  return { tags: false, mvcc: mvcc === true };
}

function cellLines(body: Uint8Array, layout: CellLayout): string[] {
  const batch = parseCells(body, layout);
  return Array.from({ length: batch.length }, (_, i) => {
    const { row, family, qualifier, timestamp, type, value } = batch.cell(i);
    const column = [family, qualifier].map((part) => new TextDecoder().decode(part)).join(":");
    const name = CELL_TYPES[type] ?? type;
    const shown = valueText(textOf(value) ?? value.slice());
    return `${new TextDecoder().decode(row)} · ${column} · ${timestamp} · ${name} = ${shown}`;
  });
}

function noteCells(notes: ByteNotes, end: number, layout: CellLayout): void {
  while (notes.position < end) {
    const keyLength = notes.u32be("length", "key length");
    const valueLength = notes.u32be("length", "value length");
    noteKey(notes, keyLength);
    value(notes, valueLength, "value");
    noteMvcc(notes, layout);
  }
}

/** @returns length of the row */
function noteKey(notes: ByteNotes, length: number): number {
  const row = notes.reader.u8("row length") * 256 + notes.reader.u8("row length");
  notes.note("length", "row length", String(row));
  value(notes, row, "row", "key");
  const family = notes.reader.u8("family length");
  notes.note("length", "family length", String(family));
  value(notes, family, "family", "key-odd");
  value(notes, length - row - family - 3 - TIMESTAMP_AND_TYPE, "qualifier", "key");
  notes.skip(8, "ordinal", "timestamp");
  noteType(notes);
  return row;
}

function noteType(notes: ByteNotes): void {
  const type = notes.reader.u8("type");
  notes.note("field", "type", (CELL_TYPES as Readonly<Record<number, string>>)[type] ?? String(type));
}

function noteMvcc(notes: ByteNotes, { mvcc }: CellLayout): void {
  if (mvcc) {
    const first = notes.reader.u8("MVCC number");
    // A VLong of Hadoop; docs/spec/hfile.md#4-varints.
    const more = first < 0x80 || first >= 0x90 ? 0 : first >= 0x88 ? 0x90 - first : 0x88 - first;
    notes.reader.skip(more, "MVCC number");
    notes.note("ordinal", "MVCC number", more === 0 ? String((first << 24) >> 24) : undefined);
  }
}

/** Notes text of this length; a negative length is an error. */
function value(
  notes: ByteNotes,
  length: number,
  label: string,
  role: "key" | "key-odd" | "value" = "value",
): void {
  if (length < 0 || length > notes.reader.remaining) {
    throw new CFileError("E_CORRUPT", `${label} of ${length} bytes`, { offset: notes.position });
  }
  if (length > 0) {
    const text = textOf(notes.bytes.subarray(notes.position, notes.position + length));
    notes.skip(length, role === "value" ? "value" : "key", label, text);
  }
}

function notePrefix(notes: ByteNotes, layout: CellLayout): void {
  notes.u32be("length", "bytes of all cells when decoded");
  while (notes.reader.remaining > 0) {
    const rest = notes.varint32("length", "key bytes that follow");
    const size = notes.varint32("length", "value length");
    notes.varint32("count", "bytes shared with the previous key");
    value(notes, rest, "rest of the key", "key");
    value(notes, size, "value");
    noteMvcc(notes, layout);
  }
}

/** What a cell takes from the one before it. */
interface Previous {
  keyLength: number;
  valueLength: number;
  /** First bytes of the key: length of the row, row. */
  head: Uint8Array;
}

function noteLengths(notes: ByteNotes, previous: Previous, sameKey: boolean, sameValue: boolean): number {
  previous.keyLength = sameKey ? previous.keyLength : notes.varint32("length", "key length");
  previous.valueLength = sameValue ? previous.valueLength : notes.varint32("length", "value length");
  return notes.varint32("count", "bytes shared with the previous key");
}

/** Row and qualifier without the shared bytes; the family is not repeated. @returns length of the row */
function noteRest(notes: ByteNotes, previous: Previous, common: number, family: number): void {
  const rowLength = rowLengthOf(previous.head);
  if (previous.head.length > 0 && common >= rowLength + 2) {
    const left = previous.keyLength - TIMESTAMP_AND_TYPE - common;
    value(notes, left, "rest of the qualifier", "key");
    return;
  }
  const start = notes.position;
  const lengthBytes = Math.max(0, 2 - common);
  if (lengthBytes > 0) {
    notes.skip(lengthBytes, "length", "row length");
  }
  const stored = notes.bytes.subarray(start, start + lengthBytes);
  const two = Uint8Array.from([...previous.head.subarray(0, 2 - lengthBytes), ...stored]);
  const row = rowLengthOf(two);
  const rest = row + 2 - Math.max(2, common);
  value(notes, rest, "rest of the row", "key");
  const shared = previous.head.subarray(2, Math.max(2, common));
  previous.head = Uint8Array.from([
    ...two,
    ...shared,
    ...notes.bytes.subarray(notes.position - rest, notes.position),
  ]);
  value(notes, previous.keyLength - TIMESTAMP_AND_TYPE - row - 3 - family, "qualifier", "key-odd");
}

function rowLengthOf(head: Uint8Array): number {
  return (head[0] ?? 0) * 256 + (head[1] ?? 0);
}

function noteDiff(notes: ByteNotes, layout: CellLayout): void {
  notes.u32be("length", "bytes of all cells when decoded");
  const family = notes.reader.u8("family length");
  notes.note("length", "family length", String(family));
  value(notes, family, "family of all cells", "key");
  const previous: Previous = { keyLength: 0, valueLength: 0, head: new Uint8Array(0) };
  while (notes.reader.remaining > 0) {
    const flags = notes.reader.u8("flags");
    notes.note("field", "flags", flagsText(flags, DIFF_FLAGS));
    const common = noteLengths(notes, previous, (flags & 1) !== 0, (flags & 2) !== 0);
    noteRest(notes, previous, common, family);
    const isDifference = (flags & 8) !== 0;
    notes.skip(((flags >>> 4) & 7) + 1, "ordinal", isDifference ? "timestamp, as a difference" : "timestamp");
    if ((flags & 4) === 0) {
      noteType(notes);
    }
    value(notes, previous.valueLength, "value");
    noteMvcc(notes, layout);
  }
}

function noteFastDiff(notes: ByteNotes, layout: CellLayout): void {
  notes.u32be("length", "bytes of all cells when decoded");
  const previous: Previous = { keyLength: 0, valueLength: 0, head: new Uint8Array(0) };
  let family = 0;
  while (notes.reader.remaining > 0) {
    const flags = notes.reader.u8("flags");
    notes.note("field", "flags", flagsText(flags, FAST_DIFF_FLAGS));
    const common = noteLengths(notes, previous, (flags & 8) !== 0, (flags & 16) !== 0);
    if (previous.head.length === 0) {
      const start = notes.position;
      const row = noteKey(notes, previous.keyLength);
      previous.head = notes.bytes.slice(start, start + 2 + row);
      family = notes.bytes[start + 2 + row] ?? 0;
    } else {
      noteRest(notes, previous, common, family);
      const left = 8 - (flags & 7);
      if (left > 0) {
        notes.skip(left, "ordinal", "rest of the timestamp");
      }
      if ((flags & 32) === 0) {
        noteType(notes);
      }
    }
    value(notes, (flags & 64) === 0 ? previous.valueLength : 0, "value");
    noteMvcc(notes, layout);
  }
}

const DIFF_FLAGS = ["same key length", "same value length", "same type", "difference"];
const FAST_DIFF_FLAGS = ["", "", "", "same key length", "same value length", "same type", "same value"];

function flagsText(flags: number, names: readonly string[]): string {
  return names.filter((name, bit) => name !== "" && (flags & (1 << bit)) !== 0).join(", ");
}

function noteRowIndex(notes: ByteNotes, layout: CellLayout): void {
  const { bytes } = notes;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(Math.max(0, bytes.length - 4));
  noteCells(notes, Math.min(bytes.length, 2 + length), layout);
  for (let rows = notes.u32be("count", "number of rows"); rows > 0 && notes.reader.remaining > 4; rows--) {
    notes.u32be("pointer", "start of a row");
  }
  notes.u32be("length", "bytes of all cells");
}
