/** Numbers of variable length, and structures made of them (docs/spec/cfile.md#1-primitive-codings). */
import { ByteReader, corrupt } from "@cfile/bytes";
import { ByteNotes } from "@cfile/format/blocks";
import {
  readBlockPointer,
  readMemcmpableVarint64BigInt,
  readVarint32,
  readVarint64BigInt,
} from "@cfile/varint";
import { readGroupVarint, readGroupVarintSequence } from "@cfile/varint/group-varint";
import type { Arguments, Structure } from "../reading.js";
import { listText, valueText } from "../value-text.js";

export const varint: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      for (let i = 0; notes.reader.remaining > 0; i++) {
        const from = notes.position;
        const value = readVarint64BigInt(notes.reader, "varint");
        const groups = Array.from(bytes.subarray(from, notes.position), (byte) =>
          (byte & 0x7f).toString(2).padStart(7, "0"),
        );
        notes.note("value", `number ${i}`, `${value} = ${groups.reverse().join(" ")} in binary`);
      }
    }),
  read: (bytes) => [listText(readAll(bytes, readVarint64BigInt).map(Number))],
};

export const memcmpVarint: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      for (let i = 0; notes.reader.remaining > 0; i++) {
        notes.note("value", `number ${i}`, String(readMemcmpableVarint64BigInt(notes.reader, "number")));
      }
    }),
  read: (bytes) => [listText(readAll(bytes, readMemcmpableVarint64BigInt))],
};

function readAll(bytes: Uint8Array, read: (reader: ByteReader, field: string) => bigint): bigint[] {
  const reader = new ByteReader(bytes);
  const values: bigint[] = [];
  while (reader.remaining > 0) {
    values.push(read(reader, "number"));
  }
  return values;
}

export const groupVarint: Structure = {
  note: (bytes, { count }: Arguments) => ByteNotes.of(bytes, (notes) => noteGroups(notes, Number(count))),
  read: (bytes, { count }: Arguments) => {
    const values = new Uint32Array(Number(count));
    readGroupVarintSequence(new ByteReader(bytes), values.length, values);
    return [listText([...values])];
  },
};

function noteGroups(notes: ByteNotes, count: number): void {
  const values = new Uint32Array(4);
  for (let first = 0; first < count; first += 4) {
    const selector = notes.reader.u8("selector");
    const lengths = [6, 4, 2, 0].map((shift) => ((selector >> shift) & 3) + 1);
    notes.note(
      "length",
      `group ${first / 4}: selector`,
      `${selector.toString(2).padStart(8, "0")}: ${lengths.join(", ")} bytes`,
    );
    const at = new ByteReader(notes.bytes, notes.position - 1);
    readGroupVarint(at, values, 0, "group");
    for (const [i, length] of lengths.entries()) {
      const fills = first + i >= count;
      notes.skip(length, "value", fills ? "fills the group" : `number ${first + i}`, String(values[i]));
    }
  }
}

export const blockPointer: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => {
      notes.varint64("pointer", "offset of the block in the file");
      notes.varint32("pointer", "size of the block, checksum included");
    }),
  read: (bytes) => [valueText(readBlockPointer(new ByteReader(bytes)))],
};

export const lengthPrefixed: Structure = {
  note: (bytes) =>
    ByteNotes.of(bytes, (notes) => notes.skip(notes.varint32("length", "length"), "value", "bytes")),
  read: (bytes) => {
    const reader = new ByteReader(bytes);
    const value = reader.take(readVarint32(reader, "length"), "bytes");
    if (reader.remaining > 0) {
      throw corrupt(`${reader.remaining} bytes after the value`, {
        offset: reader.position,
        field: "bytes",
      });
    }
    return [valueText(new TextDecoder().decode(value))];
  },
};
