import { isCFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { bytesOfText } from "../../../docs/.vitepress/theme/live/hex-text.js";
import { readStructure } from "../../../docs/.vitepress/theme/live/reading.js";
import { STRUCTURES, type StructureName } from "../../../docs/.vitepress/theme/live/structure-table.js";
import { liveExamples } from "../src/live-examples.mjs";

const examples = liveExamples();

it("has an example for each kind of bytes", () => {
  expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(Object.keys(STRUCTURES)));
});

describe.each(examples)("$page, $kind: $hex", ({ kind, hex, args }) => {
  const bytes = bytesOfText(hex);

  it("is decoded by the packages, and every byte has a name", async () => {
    const { notes, lines, refusal } = await readStructure(await structureOf(kind), bytes, args);
    expect(refusal).toBeUndefined();
    // Compared by hand with the worked examples of the specification.
    expect(lines).toMatchSnapshot();
    expect(notes.filter(({ role }) => role === "problem")).toEqual([]);
    let end = 0;
    for (const note of notes) {
      expect(note.start).toBe(end);
      end = note.end;
    }
    expect(end).toBe(bytes.length);
  });

  it("shows values or an error for any edited byte", async () => {
    const structure = await structureOf(kind);
    for (let at = 0; at < bytes.length; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const edited = bytes.slice();
        edited[at] = (edited[at] ?? 0) ^ mask;
        const { notes, refusal } = await readStructure(structure, edited, args);
        expect(notes.at(-1)?.end).toBe(edited.length);
        expect(refusal === undefined || refusal.code.startsWith("E_")).toBe(true);
      }
      await expectTyped(readStructure(structure, bytes.subarray(0, at), args));
    }
  });
});

async function structureOf(kind: string) {
  return await STRUCTURES[kind as StructureName]();
}

async function expectTyped(reading: Promise<unknown>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    expect(isCFileError(error)).toBe(true);
  }
}
