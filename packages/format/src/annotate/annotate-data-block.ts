/** Annotates the content of a data block (docs/spec/cfile.md#41-layouts): null or array header, then the encoded values. */
import { DATA_TYPES } from "@cfile/encodings";
import type { BlockColumn } from "../blocks/data-block.js";
import { noteBitshuffle, noteDictionaryBlock } from "./annotate-bitshuffle.js";
import { notePlainBinary, notePlainFixed, notePrefix } from "./annotate-plain.js";
import { noteRle, noteRleBlock } from "./annotate-rle.js";
import { type AnnotateOptions, type ByteNote, ByteNotes } from "./byte-note.js";

/** The properties of a column that its annotation requires. */
export type AnnotatedColumn = Pick<BlockColumn, "type" | "encoding" | "nullable" | "array">;

/** Notes on the content of a data block, after unwrapping. Never throws: damage is noted as a problem. */
export function annotateDataBlock(
  content: Uint8Array,
  column: AnnotatedColumn,
  options?: AnnotateOptions,
): ByteNote[] {
  const read = (notes: ByteNotes): void => {
    if (column.array) {
      noteArrayHeader(notes);
    } else if (column.nullable) {
      noteStream(notes, "null bitmap", 1, notes.varint32("count", "row count, nulls included"));
    }
    noteValues(notes, column);
  };
  return ByteNotes.of(content, read, options);
}

/** Notes on a dictionary: a plain binary block of words. Never throws. */
export function annotateDictionary(content: Uint8Array, options?: AnnotateOptions): ByteNote[] {
  return ByteNotes.of(content, (notes) => notePlainBinary(notes, "word"), options);
}

function noteArrayHeader(notes: ByteNotes): void {
  const elements = notes.varint32("count", "element count, nulls included");
  const rows = notes.varint32("count", "row count, nulls included");
  noteStream(notes, "element bitmap", 1, elements);
  noteStream(notes, "element numbers", 16, rows);
  noteStream(notes, "row bitmap", 1, rows);
}

function noteStream(notes: ByteNotes, label: string, width: number, values: number): void {
  const length = notes.varint32("length", `${label}: length in bytes`);
  notes.reader.require(length, label);
  noteRle(notes, notes.position + length, { width, values, role: "bitmap", label });
}

function noteValues(notes: ByteNotes, { type, encoding }: AnnotatedColumn): void {
  switch (encoding) {
    case "RLE":
      noteRleBlock(notes, type);
      break;
    case "BIT_SHUFFLE":
      noteBitshuffle(notes, "values");
      break;
    case "DICT_ENCODING":
      noteDictionaryBlock(notes);
      break;
    case "PREFIX_ENCODING":
      notePrefix(notes);
      break;
    default:
      if (DATA_TYPES[type].physical === "BINARY") {
        notePlainBinary(notes, "value");
      } else {
        notePlainFixed(notes, type);
      }
  }
}
