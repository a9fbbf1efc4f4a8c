/** Annotates plain and prefix blocks (docs/spec/cfile.md#5-encodings). */
import { ByteReader } from "@cfile/bytes";
import { DATA_TYPES, type DataType, physicalWidth } from "@cfile/encodings";
import { groupVarintLength, readGroupVarint } from "@cfile/varint/group-varint";
import { u32le } from "../blocks/block-wrapper.js";
import type { ByteNotes } from "./byte-note.js";
import { binaryText, fixedText } from "./value-text.js";

export function notePlainFixed(notes: ByteNotes, type: DataType): void {
  const count = notes.u32le("count", "value count");
  notes.u32le("ordinal", "number of the first row");
  const width = physicalWidth(DATA_TYPES[type].physical);
  const { reader } = notes;
  if (width === 0) {
    notes.skip(Math.ceil(count / 8), "value", `${count} values, a bit each`);
    return;
  }
  const shown = Math.min(count, notes.maxNotes);
  for (let i = 0; i < shown; i++) {
    const bytes = reader.take(width, "value");
    notes.note("value", `value ${i}`, fixedText(type, bytes));
  }
  notes.skip((count - shown) * width, "value", `values ${shown} to ${count - 1}`);
}

export function notePlainBinary(notes: ByteNotes, what: string): void {
  const { reader, bytes } = notes;
  const start = reader.position;
  notes.u32le("ordinal", "number of the first row");
  const count = notes.u32le("count", `${what} count`);
  const offsets = notes.u32le("pointer", "start of the offsets");
  const end = start + offsets;
  reader.require(Math.max(0, end - reader.position), "values");
  const starts = startsOf(bytes, end, Math.min(count, notes.maxNotes + 1));
  for (let i = 0; i < Math.min(count, notes.maxNotes); i++) {
    // If offsets are missing, no length is valid.
    const next = i + 1 < count ? start + (starts[i + 1] ?? Number.NaN) : end;
    const value = reader.take(Math.max(0, Math.min(next, end) - reader.position), what);
    notes.note("value", `${what} ${i}`, binaryText(value));
  }
  notes.skip(Math.max(0, end - reader.position), "value", `${what}s ${notes.maxNotes} to ${count - 1}`);
  noteGroups(notes, count, what);
}

/** The first offsets, at least `count`, of the groups at `position`; fewer if the bytes are truncated. */
function startsOf(bytes: Uint8Array, position: number, count: number): number[] {
  const reader = new ByteReader(bytes, position);
  const group = new Uint32Array(4);
  const starts: number[] = [];
  while (starts.length < count && reader.remaining >= groupVarintLength(bytes[reader.position] ?? 0)) {
    readGroupVarint(reader, group);
    starts.push(...group);
  }
  return starts;
}

function noteGroups(notes: ByteNotes, count: number, what: string): void {
  const { reader, bytes } = notes;
  const group = new Uint32Array(4);
  for (let i = 0; i < count; i += 4) {
    if (i >= notes.maxNotes) {
      notes.skip(reader.remaining, "pointer", `offsets of ${what}s ${i} to ${count - 1}`, "group varints");
      return;
    }
    reader.require(1, "offsets");
    reader.require(groupVarintLength(bytes[reader.position] as number), "offsets");
    readGroupVarint(reader, group);
    const last = Math.min(i + 3, count - 1);
    notes.note("pointer", `offsets of ${what}s ${i} to ${last}`, group.subarray(0, last - i + 1).join(", "));
  }
}

export function notePrefix(notes: ByteNotes): void {
  const { reader, bytes } = notes;
  const start = reader.position;
  const header = new Uint32Array(4);
  readGroupVarint(reader, header);
  const [count = 0, ordinal, interval] = header;
  notes.note(
    "count",
    "header: value count, first row, restart interval, 0",
    `${count}, ${ordinal}, ${interval}, 0`,
  );
  reader.require(4, "number of restarts");
  const restarts = u32le(bytes, bytes.length - 4);
  const end = bytes.length - 4 - 4 * restarts;
  let previous = new Uint8Array(0);
  for (let i = 0; i < count && reader.position < end; i++) {
    if (i === notes.maxNotes) {
      notes.skip(end - reader.position, "value", `values ${i} to ${count - 1}`);
      break;
    }
    const shared = notes.varint32("length", `value ${i}: bytes shared with the previous value`);
    const length = notes.varint32("length", `value ${i}: bytes that are not shared`);
    const rest = reader.take(length, "value");
    const value = new Uint8Array(Math.min(shared, previous.length) + length);
    value.set(previous.subarray(0, shared));
    value.set(rest, value.length - length);
    notes.note("value", `value ${i}`, binaryText(value));
    previous = value;
  }
  for (let i = 0; i < restarts; i++) {
    if (i === notes.maxNotes) {
      notes.skip(4 * (restarts - i), "pointer", `restarts ${i} to ${restarts - 1}`);
      break;
    }
    notes.u32le("pointer", `restart ${i}`, (offset) => `byte ${start + offset}`);
  }
  notes.u32le("count", "number of restarts");
}
