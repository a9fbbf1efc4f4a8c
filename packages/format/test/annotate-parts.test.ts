/** Notes on parts that the golden files lack: unknown fields, long blocks, other trailers, damage. */
import { describe, expect, it } from "vitest";
import { ByteNotes } from "../src/annotate/byte-note.js";
import {
  annotateDataBlock,
  annotateFooter,
  annotateHeader,
  annotateIndexBlock,
  annotateStoredBlock,
  type ByteNote,
} from "../src/blocks.js";

const u32 = (value: number): number[] => [
  value & 255,
  (value >>> 8) & 255,
  (value >>> 16) & 255,
  value >>> 24,
];
const MAGIC = [...new TextEncoder().encode("kuducfl2")];

function header(...message: readonly number[]): ByteNote[] {
  return annotateHeader(Uint8Array.from([...MAGIC, ...u32(message.length), ...message]), false);
}

function footer(...message: readonly number[]): ByteNote[] {
  return annotateFooter(Uint8Array.from([...message, ...MAGIC, ...u32(message.length)]), false);
}

const shown = (notes: readonly ByteNote[]): (readonly [string, string | undefined])[] =>
  notes.map(({ label, text }) => [label, text]);

describe("fields of a message", () => {
  it.each<[string, readonly ByteNote[], string, string | undefined]>([
    ["an unknown number", header(0x78, 5), "field 15", "5"],
    ["unknown bytes", header(0x7a, 1, 65), "field 15", '"A"'],
    ["an unknown fixed number of 32 bits", header(0x7d, 1, 2, 3, 4), "field 15", undefined],
    ["an unknown fixed number of 64 bits", header(0x79, 1, 2, 3, 4, 5, 6, 7, 8), "field 15", undefined],
    ["a data type without name", footer(0x08, 99), "data_type", "99"],
    ["a data type with a name", footer(0x08, 1), "data_type", "1: INT8"],
    ["a compression without name", footer(0x30, 9), "compression", "9: ?"],
    ["a compression with a name", footer(0x30, 3), "compression", "3: LZ4"],
  ])("show %s", (_, notes, label, text) => {
    expect(shown(notes)).toContainEqual([label, text]);
    expect(notes.some(({ role }) => role === "problem")).toBe(false);
  });

  it("of a group are a problem", () => {
    expect(header(0x7b, 1).at(-1)).toMatchObject({ role: "problem", text: "wire type 3" });
  });
});

describe("an index block", () => {
  const entry = (row: number): number[] => [4, 0, 0, 0, row, 10 * row, 5];
  const block = (trailer: readonly number[], ...rows: readonly number[]): Uint8Array =>
    Uint8Array.from([
      ...rows.flatMap(entry),
      ...rows.flatMap((_, i) => u32(7 * i)),
      ...trailer,
      ...u32(trailer.length),
    ]);
  const LEAF = [0x10, 0];

  it("has notes for each entry, up to a limit", () => {
    const bytes = block([8, 3, ...LEAF], 1, 2, 3);
    const texts = annotateIndexBlock(bytes, "posidx", { maxNotes: 2 });
    expect(texts.map(({ label }) => label)).toContain("entries 2 to 2");
    expect(texts.map(({ label }) => label)).toContain("offsets of entries 2 to 2");
    expect(texts.at(-1)).toMatchObject({ label: "length of the trailer", end: bytes.length });
    expect(annotateIndexBlock(bytes, "posidx").filter(({ label }) => label.endsWith(": key")).length).toBe(3);
  });

  it.each([
    ["a trailer that begins with another field", block([0x10, 0, 8, 3], 1)],
    ["a trailer of one byte", block([8], 1)],
    ["a trailer longer than the block", Uint8Array.from([1, 2, ...u32(100)])],
  ])("with %s is not understood", (_, bytes) => {
    const notes = annotateIndexBlock(bytes, "posidx");
    expect(notes.at(-1)).toMatchObject({ role: "problem", end: bytes.length });
  });
});

describe("long blocks have a limited number of notes", () => {
  const maxNotes = 2;
  const strings = ["a", "b", "c", "d"].map((text) => [...new TextEncoder().encode(text)]);
  // Value count, first row, restart interval, 0 as one group of varints; values; restarts.
  const prefix = [
    0,
    4,
    0,
    1,
    0,
    ...strings.flatMap((bytes) => [0, 1, ...bytes]),
    ...u32(5),
    ...u32(8),
    ...u32(11),
    ...u32(3),
  ];
  // Runs of one value each.
  const rle = [...u32(4), ...u32(0), ...[1, 2, 3, 4].flatMap((value) => [2, value])];

  it.each([
    ["prefix values and restarts", prefix, "PREFIX_ENCODING", "STRING", ["values 2 to 3", "restarts 2 to 2"]],
    ["RLE runs", rle, "RLE", "INT8", ["values: runs from 2 on"]],
  ] as const)("%s", (_, bytes, encoding, type, labels) => {
    const notes = annotateDataBlock(
      Uint8Array.from(bytes),
      { type, encoding, nullable: false, array: false },
      { maxNotes },
    );
    expect(notes.map(({ label }) => label)).toEqual(expect.arrayContaining([...labels]));
    expect(notes.some(({ role }) => role === "problem")).toBe(false);
  });
});

describe("a stored block", () => {
  const codec = { decompress: () => undefined };

  it("of the first version has two sizes", () => {
    const bytes = Uint8Array.from([...u32(2), ...u32(5), 7, 8]);
    const notes = annotateStoredBlock(bytes, {
      version: 1,
      checksums: false,
      codec: codec as never,
      kernels: undefined,
    });
    expect(shown(notes)).toEqual([
      ["compressed size", "2"],
      ["uncompressed size", "5"],
      ["compressed content", undefined],
    ]);
  });
});

describe("notes", () => {
  it("do not hide mistakes of the code that makes them", () => {
    const mistake = () => {
      throw new RangeError("a mistake");
    };
    expect(() => ByteNotes.of(new Uint8Array(3), mistake)).toThrow("a mistake");
  });
});
