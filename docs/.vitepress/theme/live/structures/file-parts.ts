/** Header, footer, and small files as a whole (docs/spec/cfile.md#3-header-and-footer). */
import { type BlockLocation, CFileError, corrupt, crc32c, isCFileError } from "@cfile/bytes";
import { type BlockColumn, openCFile, parseFooter, parseHeader } from "@cfile/format";
import {
  annotateDataBlock,
  annotateDictionary,
  annotateFooter,
  annotateHeader,
  annotateIndexBlock,
  annotateStoredBlock,
  type ByteNote,
  type KeysOf,
} from "@cfile/format/blocks";
import { IndexBlock } from "@cfile/index-btree";
import { memorySource } from "@cfile/io";
import { byteText } from "../hex-text.js";
import type { Structure } from "../reading.js";
import { listText, valueText } from "../value-text.js";

const CHECKSUM = 4;
/** Magic and length of the message. */
const FRAME = 12;

export const header: Structure = {
  note: (bytes) => annotateHeader(bytes, true),
  read: (bytes) => {
    requireMagic(bytes, 0);
    requireLength(bytes, 8);
    requireChecksum(bytes.subarray(0, bytes.length - CHECKSUM), lengthAt(bytes, bytes.length - CHECKSUM));
    const { metadata } = parseHeader(bytes.subarray(FRAME, bytes.length - CHECKSUM), 2);
    return [`metadata: ${listText(metadata)}`, `the first block begins at offset ${bytes.length}`];
  },
};

export const footer: Structure = {
  note: (bytes) => annotateFooter(bytes, true),
  read: (bytes) => {
    requireMagic(bytes, bytes.length - FRAME);
    requireLength(bytes, bytes.length - 4);
    requireChecksum(bytes.subarray(CHECKSUM), lengthAt(bytes, 0));
    const message = bytes.subarray(CHECKSUM, bytes.length - FRAME);
    return Object.entries(parseFooter(message))
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}: ${valueText(value)}`);
  },
};

export const file: Structure = {
  note: noteFile,
  read: async (bytes) => {
    const reader = await openCFile(memorySource(bytes, "file"));
    const { ok, problems } = await reader.verify();
    const [problem] = problems;
    if (problem !== undefined) {
      throw new CFileError(problem.code, problem.reason, problem);
    }
    const values: unknown[] = [];
    for await (const batch of reader.scan()) {
      values.push(...batch.toArray());
    }
    return [
      `${reader.type}, ${reader.encoding}, ${reader.rowCount} rows; verify: ${ok ? "ok" : "damaged"}`,
      listText(values),
    ];
  },
};

/** The stored length must match the message, which fills the rest of the header or footer. */
function requireLength(bytes: Uint8Array, at: number): void {
  const expected = bytes.length - FRAME - CHECKSUM;
  const actual = lengthAt(bytes, at);
  if (actual !== expected) {
    throw corrupt(`message length ${actual} does not match the ${expected} bytes present`, {
      offset: at,
      field: "length",
      expected,
      actual,
    });
  }
}

function requireMagic(bytes: Uint8Array, at: number): void {
  const magic = new TextDecoder().decode(bytes.subarray(Math.max(0, at), at + 8));
  if (magic !== "kuducfl2" && magic !== "kuducfil") {
    throw corrupt("missing magic", { offset: at, field: "magic" });
  }
}

function requireChecksum(covered: Uint8Array, stored: number): void {
  const actual = crc32c(covered);
  if (actual !== stored) {
    const word = new Uint8Array(4);
    new DataView(word.buffer).setUint32(0, actual, true);
    const right = Array.from(word, byteText).join(" ");
    throw new CFileError("E_CHECKSUM", `the checksum of these bytes would be ${right}`, {
      field: "checksum",
    });
  }
}

/** For files without compression. Bytes that no pointer leads to are marked as a problem. */
function noteFile(bytes: Uint8Array): ByteNote[] {
  const message = lengthAt(bytes, bytes.length - 4);
  const footerStart = bytes.length - FRAME - message - CHECKSUM;
  const headerEnd = FRAME + lengthAt(bytes, 8) + CHECKSUM;
  if (!(footerStart >= headerEnd)) {
    return [{ start: 0, end: bytes.length, role: "problem", label: "lengths of header or footer are wrong" }];
  }
  const notes = [
    ...annotateHeader(bytes.subarray(0, headerEnd), true),
    ...shift(annotateFooter(bytes.subarray(footerStart), true), footerStart),
    ...blockNotes(bytes, bytes.subarray(footerStart + CHECKSUM, bytes.length - FRAME)),
  ];
  return fillGaps(notes, bytes.length);
}

/** The blocks that the footer leads to, up to the first invalid one. */
function blockNotes(bytes: Uint8Array, message: Uint8Array): ByteNote[] {
  const notes = new Map<number, ByteNote[]>();
  const add = (offset: number, size: number, annotate: (content: Uint8Array) => ByteNote[]): void => {
    const whole = bytes.subarray(offset, offset + size);
    const content = whole.subarray(0, size - CHECKSUM);
    const wrapper = annotateStoredBlock(whole, { version: 2, checksums: true, codec: undefined }).slice(1);
    notes.set(offset, shift([...annotate(content), ...wrapper], offset));
  };
  const addTree = (root: BlockLocation, keys: KeysOf, column: Omit<BlockColumn, "dictionary">): void => {
    const content = bytes.subarray(root.offset, root.offset + root.size - CHECKSUM);
    if (root.offset + root.size > bytes.length || notes.has(root.offset)) {
      throw corrupt("the root is outside the file or visited twice", { field: "root block" });
    }
    add(root.offset, root.size, (block) => annotateIndexBlock(block, keys));
    const index = IndexBlock.parse(content);
    for (let i = 0; i < index.count; i++) {
      const { offset, size } = index.pointer(i);
      if (!index.isLeaf) {
        addTree({ offset, size }, keys, column);
      } else if (!notes.has(offset)) {
        add(offset, size, (block) => annotateDataBlock(block, column));
      }
    }
  };
  try {
    const { dataType: type, encoding, nullable = false, array = false, ...pointers } = parseFooter(message);
    const { posidx, validx, dictionary } = pointers;
    const column = { type, encoding, nullable, array };
    if (posidx) {
      addTree(posidx, "posidx", column);
    }
    if (validx) {
      addTree(validx, type, column);
    }
    if (dictionary) {
      add(dictionary.offset, dictionary.size, annotateDictionary);
    }
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
  }
  return [...notes.values()].flat();
}

function shift(notes: readonly ByteNote[], by: number): ByteNote[] {
  return notes.map((note) => ({ ...note, start: note.start + by, end: note.end + by }));
}

function fillGaps(notes: ByteNote[], length: number): ByteNote[] {
  const filled: ByteNote[] = [];
  let end = 0;
  for (const note of notes.sort((a, b) => a.start - b.start)) {
    if (note.start > end) {
      filled.push({ start: end, end: note.start, role: "problem", label: "no pointer leads here" });
    }
    if (note.start >= end) {
      filled.push(note);
      end = note.end;
    }
  }
  if (end < length) {
    filled.push({ start: end, end: length, role: "problem", label: "no pointer leads here" });
  }
  return filled;
}

function lengthAt(bytes: Uint8Array, offset: number): number {
  return offset >= 0 && offset + 4 <= bytes.length
    ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true)
    : Number.NaN;
}
