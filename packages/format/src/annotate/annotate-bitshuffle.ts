/** Annotates bitshuffle and dictionary blocks (docs/spec/cfile.md#56-dictionary and docs/spec/cfile.md#58-bitshuffle). */
import { notePlainBinary } from "./annotate-plain.js";
import type { ByteNotes } from "./byte-note.js";

export function noteBitshuffle(notes: ByteNotes, what: string): void {
  notes.u32le("ordinal", "number of the first row");
  const count = notes.u32le("count", `count of ${what}`);
  notes.u32le("length", "size, header included");
  const padded = notes.u32le("count", "count padded to a multiple of 8");
  const width = notes.u32le("field", "bytes of an element");
  if (width === 0 || count === 0) {
    return;
  }
  const capacity = Math.max(128, Math.floor(8192 / width / 8) * 8);
  for (let first = 0, chunk = 0; first < padded; first += capacity, chunk++) {
    const elements = Math.min(capacity, padded - first);
    const length = notes.u32be("length", `chunk ${chunk}: compressed size, big-endian`);
    const text = `${elements} elements, ${elements * width} bytes of bit rows in LZ4`;
    notes.skip(
      length,
      "compressed",
      `chunk ${chunk}: ${what} ${first} to ${Math.min(first + elements, count) - 1}`,
      text,
    );
  }
}

const MODES: Readonly<Record<number, string>> = { 1: "1: codes of a dictionary", 2: "2: plain values" };

export function noteDictionaryBlock(notes: ByteNotes): void {
  const mode = notes.u32le("field", "mode", (value) => MODES[value] ?? `${value}: unknown mode`);
  if (mode === 1) {
    noteBitshuffle(notes, "codes");
  } else if (mode === 2) {
    notePlainBinary(notes, "value");
  }
}
