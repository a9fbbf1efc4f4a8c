/** Blocks of HFiles: headers, indexes and the file info (docs/spec/hfile.md#2-block-header). */
import { CFileError, corrupt } from "@cfile/bytes";
import { ByteNotes } from "@cfile/format/blocks";
import { HFILE_LIMITS } from "@cfile/hfile";
import {
  type IndexNode,
  parseBlockHeader,
  parseFileInfo,
  parseIndexNode,
  parseRootIndex,
  parseTrailer,
  verifyChecksums,
} from "@cfile/hfile/blocks";
import { readVarint32 } from "@cfile/varint";
import type { Structure } from "../../reading.js";
import { valueText } from "../../value-text.js";
import { type MessageShape, noteMessage, textOf } from "../protobuf-notes.js";

const HEADER = 33;
const TRAILER = 4096;
const VERSION = 4;
const TRAILER_FIELDS: MessageShape = {
  1: "offset of the file info",
  2: "offset of the root index",
  3: "uncompressed size of the index",
  4: "uncompressed size of all blocks",
  5: "entries of the root index",
  6: "entries of the meta index",
  7: "cells",
  8: "levels of the index",
  9: "offset of the first data block",
  10: "offset of the last data block",
  11: "comparator",
  12: "codec",
};
const FILE_INFO: MessageShape = { 1: ["entry", { 1: "key", 2: "value" }] };

export const block: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      notes.skip(8, "magic", "magic", textOf(bytes.subarray(0, 8)));
      notes.u32be("length", "size on disk without header");
      notes.u32be("length", "uncompressed size of the body");
      notes.skip(8, "pointer", "offset of the previous block of this magic");
      const type = notes.reader.u8("checksum type");
      notes.note("field", "checksum type", ["NULL", "CRC32", "CRC32C"][type]);
      notes.u32be("length", "bytes per checksum");
      const end = notes.u32be("length", "where the checksums begin");
      notes.skip(Math.max(0, end - HEADER), "value", "body");
      while (notes.reader.remaining >= 4) {
        notes.skip(4, "checksum", "checksum of the bytes before");
      }
    }),
  read: (bytes) => {
    const header = parseBlockHeader(bytes, 0, bytes.length, HFILE_LIMITS);
    const chunks = verifyChecksums(bytes.subarray(0, header.size), header);
    const checks = chunks === 0 ? "no checksums" : `${chunks} checksum matches`;
    return [
      `${header.kind} block, ${header.size} bytes, body of ${header.uncompressedSize}`,
      `${header.checksumType}: ${checks}`,
    ];
  },
};

/** The body of a root index; `count` is its number of entries, `of` is `data` or `meta`. */
export const rootIndex: Structure = {
  note: (bytes, { count = 0, of: kind }) =>
    ByteNotes.of(bytes, (notes) => {
      for (let i = 0; i < Number(count); i++) {
        notePointer(notes);
        const length = notes.reader.u8("key length");
        notes.note("length", "key length", String(length));
        noteKey(notes, length, kind !== "meta");
      }
    }),
  read: (bytes, args) => {
    const kind = args["of"] === "meta" ? "meta" : "data";
    return entryLines(parseRootIndex(bytes, Number(args["count"]), kind, HFILE_LIMITS), kind === "data");
  },
};

/** The body of a leaf or intermediate index. */
export const indexNode: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      const count = notes.u32be("count", "entries");
      if (count > bytes.length) {
        throw corrupt(`${count} entries in ${bytes.length} bytes`, { offset: 0 });
      }
      const starts = Array.from({ length: count + 1 }, (_, i) =>
        notes.u32be("ordinal", i === count ? "end of the entries" : `start of entry ${i}`),
      );
      for (let i = 0; i < count; i++) {
        notePointer(notes);
        noteKey(notes, (starts[i + 1] ?? 0) - (starts[i] ?? 0) - 12, true);
      }
    }),
  read: (bytes) => entryLines(parseIndexNode(bytes, HFILE_LIMITS), true),
};

export const fileInfo: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      notes.skip(4, "magic", "magic", "PBUF");
      const length = readVarint32(notes.reader, "message length");
      notes.note("length", "message length", String(length));
      noteMessage(notes, length, FILE_INFO);
    }),
  read: (bytes) =>
    parseFileInfo(bytes).entries.map(
      ({ key, value }) => `${new TextDecoder().decode(key)}: ${valueText(textOf(value) || value)}`,
    ),
};

/** Without the zeros before the version, of a file of `fileSize` bytes. */
export const trailer: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      notes.skip(8, "magic", "magic", textOf(bytes.subarray(0, 8)));
      const length = readVarint32(notes.reader, "message length");
      notes.note("length", "message length", String(length));
      noteMessage(notes, length, TRAILER_FIELDS);
      notes.skip(VERSION, "field", "minor version, major version");
    }),
  read: (bytes, { fileSize }) => {
    const whole = new Uint8Array(TRAILER);
    const end = Math.max(0, bytes.length - VERSION);
    whole.set(bytes.subarray(0, Math.min(end, TRAILER - VERSION)));
    whole.set(bytes.subarray(end).subarray(0, VERSION), TRAILER - VERSION);
    const found = parseTrailer(whole, Number(fileSize), HFILE_LIMITS);
    return [
      `version ${found.majorVersion}.${found.minorVersion}, ${found.codec}, ${found.entryCount} cells`,
      `index: ${found.indexLevels} level, ${found.dataIndexCount} entries in the root at ${found.loadOnOpenOffset}`,
      `data blocks from ${found.firstDataBlockOffset} to ${found.lastDataBlockOffset}; file info at ${found.fileInfoOffset}`,
    ];
  },
};

function notePointer(notes: ByteNotes): void {
  notes.skip(8, "pointer", "offset of the block");
  notes.u32be("length", "size of the block on disk");
}

/** A key of a data index: row length, row, and the rest of a cell's key; of a meta index: a name. */
function noteKey(notes: ByteNotes, length: number, isCell: boolean): void {
  if (length < 0 || length > notes.reader.remaining) {
    throw new CFileError("E_CORRUPT", `key of ${length} bytes`, { offset: notes.position });
  }
  const { bytes, position } = notes;
  const row = isCell ? 256 * (bytes[position] ?? 0) + (bytes[position + 1] ?? 0) : length;
  if (isCell && length >= row + 2) {
    notes.skip(2, "length", "row length", String(row));
  }
  const shown = Math.min(row, length);
  if (shown > 0) {
    notes.skip(
      shown,
      "key",
      isCell ? "row" : "name",
      textOf(bytes.subarray(notes.position, notes.position + shown)),
    );
  }
  const rest = length - (notes.position - position);
  if (rest > 0) {
    notes.skip(rest, "field", "family, qualifier, timestamp, type");
  }
}

function entryLines(node: IndexNode, isCell: boolean): string[] {
  return Array.from({ length: node.length }, (_, i) => {
    const key = new TextDecoder().decode(isCell ? node.row(i) : node.key(i));
    return `${key} → ${node.size(i)} bytes at ${node.offset(i)}`;
  });
}
