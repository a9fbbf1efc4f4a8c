/** Annotates index blocks (docs/spec/cfile.md#71-index-block). */
import { ByteReader } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import { decodePositionalKey } from "@cfile/index-btree";
import { readVarint32 } from "@cfile/varint";
import { u32le } from "../blocks/block-wrapper.js";
import { type AnnotateOptions, type ByteNote, ByteNotes } from "./byte-note.js";
import { keyText } from "./value-text.js";

/** Kind of the keys of a tree: row numbers, or encoded values of a type. */
export type KeysOf = "posidx" | DataType;

/** Notes on the content of an index block. Never throws. */
export function annotateIndexBlock(content: Uint8Array, keys: KeysOf, options?: AnnotateOptions): ByteNote[] {
  return ByteNotes.of(content, (notes) => readIndexBlock(notes, keys), options);
}

function readIndexBlock(notes: ByteNotes, keys: KeysOf): void {
  const { bytes, reader } = notes;
  reader.require(4, "trailer length");
  const trailerLength = u32le(bytes, bytes.length - 4);
  const trailer = bytes.length - 4 - trailerLength;
  const entries = trailer < 0 ? 0 : entryCount(bytes.subarray(trailer, bytes.length - 4));
  const table = trailer - 4 * entries;
  for (let i = 0; i < entries && reader.position < table; i++) {
    if (i === notes.maxNotes) {
      notes.skip(table - reader.position, "key", `entries ${i} to ${entries - 1}`);
      break;
    }
    const length = notes.varint32("length", `entry ${i}: key length`);
    const key = reader.take(length, "key");
    notes.note("key", `entry ${i}: key`, textOf(key, keys));
    notes.varint64("pointer", `entry ${i}: offset of the block`);
    notes.varint32("pointer", `entry ${i}: size of the block`);
  }
  for (let i = 0; i < entries; i++) {
    if (i === notes.maxNotes) {
      notes.skip(trailer - reader.position, "pointer", `offsets of entries ${i} to ${entries - 1}`);
      break;
    }
    notes.u32le("pointer", `offset of entry ${i}`);
  }
  notes.skip(trailerLength, "field", "trailer", trailerText(bytes.subarray(trailer, bytes.length - 4)));
  notes.u32le("length", "length of the trailer");
}

function textOf(key: Uint8Array, keys: KeysOf): string {
  return keys === "posidx" ? `row ${decodePositionalKey(key)}` : keyText(keys, key);
}

/** The entry count of a trailer `08`, entry count as varint, `10`, kind. Entries cannot be located with any other trailer. */
function entryCount(trailer: Uint8Array): number {
  const reader = new ByteReader(trailer);
  return reader.remaining > 1 && reader.u8("tag") === 8 ? readVarint32(reader, "entry count") : 0;
}

function trailerText(trailer: Uint8Array): string {
  return `${entryCount(trailer)} entries, ${trailer.at(-1) === 0 ? "leaf" : "internal"}`;
}
