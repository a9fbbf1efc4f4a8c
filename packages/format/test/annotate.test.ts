import { DEFAULT_LIMITS, fromHex } from "@cfile/bytes";
import type { DataType, EncodingType } from "@cfile/encodings";
import { memorySource, readExactly } from "@cfile/io";
import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import {
  annotateBloomBlock,
  annotateDataBlock,
  annotateDictionary,
  annotateFooter,
  annotateHeader,
  annotateIndexBlock,
  annotateStoredBlock,
  type ByteNote,
} from "../src/blocks.js";
import { BlockReader, openCFile } from "../src/index.js";

const names = listGolden(".", ".cfile").filter((name) => !/^(large|string_1mb|array_big)/.test(name));

/** Every byte has exactly one note, and no note is a problem. */
function expectWhole(notes: readonly ByteNote[], length: number, mayHaveProblems = false): void {
  let at = 0;
  const wrong = notes.find(({ start, end, role }) => {
    const follows = start === at && end > start && (mayHaveProblems || role !== "problem");
    at = end;
    return !follows;
  });
  expect(wrong).toBe(undefined);
  expect(at).toBe(length);
}

describe("annotated bytes of golden files", () => {
  it.each(names)("%s: every byte of every block has a note", async (name) => {
    const source = memorySource(readGolden(`${name}.cfile`));
    const file = await openCFile(source);
    const { structure, type, encoding, nullable, array } = file;
    const { headerRange, footerRange, wrapping } = structure;
    const { checksums } = wrapping;
    const reader = new BlockReader(source, structure, DEFAULT_LIMITS, true);
    const header = await readExactly(source, 0, headerRange.size);
    expectWhole(annotateHeader(header, checksums), header.length);
    const footer = await readExactly(source, footerRange.offset, footerRange.size);
    const footerNotes = annotateFooter(footer, checksums);
    expectWhole(footerNotes, footer.length);
    expect(footerNotes.find(({ label }) => label === "num_values")?.text).toBe(String(file.rowCount));

    const layout = await file.layout();
    for (const kind of ["posidx", "validx"] as const) {
      for (const block of layout[kind]?.indexBlocks ?? []) {
        const content = await reader.read(block);
        const notes = annotateIndexBlock(content, kind === "posidx" ? "posidx" : type);
        expectWhole(notes, content.length);
        expect(notes.filter(({ label }) => label.endsWith(": key")).length).toBe(
          Math.min(2000, block.entries),
        );
      }
    }
    if (layout.dictionary !== undefined) {
      const content = await reader.read(layout.dictionary);
      expectWhole(annotateDictionary(content), content.length);
    }
    for (const block of await file.listDataBlocks()) {
      const stored = await reader.readStored(block);
      expectWhole(annotateStoredBlock(stored, wrapping), stored.length);
      const content = await reader.read(block);
      expectWhole(annotateDataBlock(content, { type, encoding, nullable, array }), content.length);
    }
  });

  it("include the filter of a Bloom block", async () => {
    const source = memorySource(readGolden("bloomfile/bloom_small.cfile"));
    const file = await openCFile(source);
    const [first] = (await file.layout()).validx?.entries ?? [];
    const content = await new BlockReader(source, file.structure, DEFAULT_LIMITS, true).read(
      first ?? { offset: 0, size: 0 },
    );
    const notes = annotateBloomBlock(content);
    expectWhole(notes, content.length);
    expect(notes.map(({ text }) => text)).toEqual(["2", "6", "512 bits"]);
  });
});

interface BlockCase {
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly cases: readonly {
    readonly ordinal_pos: number;
    readonly hex: string;
    readonly values: readonly unknown[];
  }[];
}

describe("annotated golden blocks", () => {
  const blocks = listGolden("blocks", ".json").filter((name) => name.startsWith("block_"));
  it.each(blocks)("%s: notes have the values of the JSON, and damage throws no exception", (name) => {
    const { type, encoding, cases }: BlockCase = readGoldenJson(`blocks/${name}.json`);
    const column = { type, encoding, nullable: false, array: false };
    for (const { hex, values, ordinal_pos: ordinal } of cases) {
      const content = fromHex(hex);
      const notes = annotateDataBlock(content, column);
      expectWhole(notes, content.length);
      const ordinals = notes.filter(({ role }) => role === "ordinal");
      if (encoding !== "PREFIX_ENCODING") {
        expect(ordinals.map(({ text }) => text)).toEqual([String(ordinal)]);
      }
      if (encoding === "PLAIN_ENCODING" && /INT|DATE|DECIMAL/.test(type) && values.length <= 2000) {
        const shown = notes.filter(({ role }) => role === "value").map(({ text }) => text);
        expect(shown).toEqual(values.map(String));
      }
    }
    const longest = fromHex(cases.find(({ values }) => values.length >= 7)?.hex ?? "");
    for (let length = 0; length < longest.length; length++) {
      expectWhole(annotateDataBlock(longest.subarray(0, length), column), length, true);
    }
    for (let at = 0; at < longest.length; at++) {
      const damaged = longest.slice();
      damaged[at] = (damaged[at] as number) ^ 0xff;
      expectWhole(annotateDataBlock(damaged, column), damaged.length, true);
    }
  });
});

describe("notes", () => {
  it("show whole values of prefix blocks", () => {
    const notes = annotateDataBlock(
      fromHex("00030010000005" + "6170706c65" + "040179" + "0003626174" + "00000000"),
      {
        type: "STRING",
        encoding: "PREFIX_ENCODING",
        nullable: false,
        array: false,
      },
    );
    const values = notes.filter(({ role }) => role === "value").map(({ text }) => text);
    expect(values).toEqual(['"apple"', '"apply"', '"bat"']);
  });

  it("show the runs of null bitmaps and the entries of index blocks", () => {
    const column = { type: "INT32", encoding: "PLAIN_ENCODING", nullable: true, array: false } as const;
    const notes = annotateDataBlock(fromHex("030203050200000000000000010000000200" + "0000"), column);
    expect(notes.filter(({ role }) => role === "bitmap").map(({ text }) => text)).toEqual(["101"]);
    const index = annotateIndexBlock(
      fromHex("0400000000106404000000037" + "4ac02000000000700000008021000" + "04000000"),
      "posidx",
    );
    expect(index.map(({ text }) => text)).toEqual([
      "4",
      "row 0",
      "16",
      "100",
      "4",
      "row 3",
      "116",
      "300",
      "0",
      "7",
      "2 entries, leaf",
      "4",
    ]);
  });
});
