/** Index blocks and composite keys (docs/spec/cfile.md#7-indexes and docs/spec/cfile.md#8-composite-keys). */
import { ByteReader } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import { decodeCompositeKey, decodeKey } from "@cfile/encodings/keys";
import { annotateIndexBlock, ByteNotes, type KeysOf } from "@cfile/format/blocks";
import { decodePositionalKey, IndexBlock } from "@cfile/index-btree";
import type { Structure } from "../reading.js";
import { isDataType, valueText } from "../value-text.js";

export const indexBlock: Structure = {
  note: (bytes, { keys }) => annotateIndexBlock(bytes, keysOf(keys)),
  read: (bytes, { keys }) => {
    const block = IndexBlock.parse(bytes);
    const lines = [`${block.isLeaf ? "leaf" : "internal"}, ${block.count} entries`];
    for (let i = 0; i < block.count; i++) {
      const { offset, size } = block.pointer(i);
      lines.push(`${keyText(block.key(i), keysOf(keys))} → ${size} bytes at ${offset}`);
    }
    return lines;
  },
};

/** A composite key; `types` lists the types of its columns, separated by spaces. */
export const compositeKey: Structure = {
  note: (bytes, { types }) => {
    const columns = typesOf(types);
    return ByteNotes.of(bytes, (notes) => {
      const reader = new ByteReader(bytes);
      for (const [i, type] of columns.entries()) {
        const width = WIDTHS[type];
        if (width !== undefined) {
          notes.skip(width, "key", `column ${i}: ${type}`, "sign flipped, big-endian");
        } else if (i === columns.length - 1) {
          notes.skip(notes.reader.remaining, "key", `column ${i}: ${type}, the last`, "unchanged");
        } else {
          const end = terminatorOf(reader, notes.position);
          notes.skip(end - notes.position, "key", `column ${i}: ${type}`, "00 is written as 00 01");
          notes.skip(2, "field", "end of the column");
        }
      }
    });
  },
  read: (bytes, { types }) => [valueText(decodeCompositeKey(typesOf(types), bytes).map(readable))],
};

/** A single key of a value index: one value of the type. */
export const valueKey: Structure = {
  note: (bytes) => [{ start: 0, end: bytes.length, role: "key", label: "key" }],
  read: (bytes, { type }) => [valueText(readable(decodeKey(typesOf(type)[0] ?? "INT32", bytes)))],
};

const WIDTHS: Readonly<Partial<Record<DataType, number>>> = {
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  UINT32: 4,
};

function terminatorOf({ bytes }: ByteReader, from: number): number {
  let at = from;
  while (at + 1 < bytes.length && !(bytes[at] === 0 && bytes[at + 1] === 0)) {
    at++;
  }
  return at;
}

function typesOf(types: unknown): DataType[] {
  return String(types).split(" ").filter(isDataType);
}

function keysOf(keys: unknown): KeysOf {
  return keys === "posidx" ? "posidx" : (typesOf(keys)[0] ?? "posidx");
}

function keyText(key: Uint8Array, keys: KeysOf): string {
  return keys === "posidx" ? `row ${decodePositionalKey(key)}` : `key ${valueText(readable(key))}`;
}

function readable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) {
    return value;
  }
  const text = new TextDecoder().decode(value);
  return /^[ -~\0]*$/.test(text) && value.length > 0 ? text : value;
}
