import { DictionaryBatch } from "@cfile/encodings";
import { describe, expect, test } from "vitest";
import { compareDiffEntries, type DiffEntry, encodeBatchCell, UPDATE } from "../src/index.js";
import { concatDeltas, deltasWithin } from "../src/read.js";
import { allShown, deltaFile, openBytes } from "./forge.js";

describe("batches of entries", () => {
  test("none together are an empty one", () => {
    expect(concatDeltas([])).toMatchObject({ length: 0, offsets: Int32Array.of(0) });
  });

  test.each([
    [{ from: 3n }, [3n, 4n]],
    [{ to: 3n }, [1n, 2n]],
    [{ from: 2n, to: 4n }, [2n, 3n]],
    [{ from: 5n }, []],
    [{}, [1n, 2n, 3n, 4n]],
  ])("within %o", async (range, expected) => {
    const bytes = await deltaFile(
      "redo",
      [1n, 2n, 3n, 4n].map((timestamp, row) => [row, timestamp, UPDATE]),
    );
    const reader = await openBytes(bytes);
    for await (const batch of reader.entries()) {
      expect([...deltasWithin(batch, range).timestamps]).toEqual(expected);
    }
    expect((await allShown(reader)).length).toBe(4);
  });
});

test("changes of a row are in the order of time; those of one time UNDO first, backwards, then REDO", () => {
  const entry = (kind: "redo" | "undo", timestamp: bigint, ordinal: number): DiffEntry => ({
    kind,
    type: UPDATE,
    timestamp,
    ordinal,
  });
  const ordered = [
    entry("undo", 1n, 9),
    entry("undo", 2n, 5),
    entry("undo", 2n, 4),
    entry("redo", 2n, 0),
    entry("redo", 2n, 1),
    entry("redo", 3n, 0),
  ];
  expect(ordered.toReversed().sort(compareDiffEntries)).toEqual(ordered);
  expect([...ordered].sort(compareDiffEntries)).toEqual(ordered);
});

test("a cell of a dictionary batch is its word", () => {
  const data = new TextEncoder().encode("onetwo");
  const words = { kind: "binary" as const, length: 2, offsets: Int32Array.of(0, 3, 6), data };
  const rows = { type: "STRING", length: 3, firstRow: 0, validity: undefined, nullCount: 0 } as const;
  const cell = encodeBatchCell(new DictionaryBatch(rows, Int32Array.of(1, 0, 1), words), 1);
  expect(new TextDecoder().decode(cell ?? new Uint8Array(0))).toBe("one");
});
