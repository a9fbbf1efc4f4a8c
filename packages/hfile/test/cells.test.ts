import { memorySink } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CellLayout } from "../src/cells/cell-batch.js";
import { parseCells } from "../src/cells/cell-parser.js";
import { compareKeys } from "../src/cells/key-order.js";
import { openHFile } from "../src/index.js";
import { HFileWriter } from "../src/write.js";

const ROW = [0, 1, 97];
const TIMESTAMP = [0, 0, 0, 0, 0, 0, 0, 5];

function key(
  family: string,
  qualifier: string,
  timestamp: readonly number[] = TIMESTAMP,
  type = 4,
): Uint8Array {
  const names = [...new TextEncoder().encode(family + qualifier)];
  return Uint8Array.from([...ROW, family.length, ...names, ...timestamp, type]);
}

function cell(...rest: readonly number[]): Uint8Array {
  const bytes = key("f", "q");
  return Uint8Array.from([0, 0, 0, bytes.length, 0, 0, 0, 2, ...bytes, 8, 9, ...rest]);
}

describe("the cells of a block", () => {
  it.each<[string, CellLayout, number[], number[], bigint]>([
    ["without tags and MVCC numbers", { tags: false, mvcc: false }, [], [], 0n],
    ["with tags", { tags: true, mvcc: false }, [0, 3, 1, 2, 3], [1, 2, 3], 0n],
    ["with MVCC numbers", { tags: false, mvcc: true }, [0x8f, 200], [], 200n],
    ["with both", { tags: true, mvcc: true }, [0, 1, 7, 100], [7], 100n],
  ])("are found %s", (_, layout, rest, tags, mvcc) => {
    const batch = parseCells(Uint8Array.from([...cell(...rest), ...cell(...rest)]), layout);
    expect(batch.length).toBe(2);
    const second = batch.cell(1);
    expect([[...second.tags], second.mvcc, [...second.value]]).toEqual([tags, mvcc, [8, 9]]);
    const positions = batch.memory;
    expect(batch.rowEnds.length).toBe(2);
    expect(batch.memory).toBeGreaterThan(positions);
  });

  it.each<[string, CellLayout, Uint8Array, string, string]>([
    ["no cells", { tags: false, mvcc: false }, new Uint8Array(0), "E_CORRUPT", "cells"],
    [
      "less than the lengths of a cell",
      { tags: false, mvcc: false },
      new Uint8Array(7),
      "E_TRUNCATED",
      "cell lengths",
    ],
    ["a cell without its tags", { tags: true, mvcc: false }, cell(0), "E_TRUNCATED", "tags"],
    ["a cell with cut tags", { tags: true, mvcc: false }, cell(0, 2, 1), "E_TRUNCATED", "tags"],
    ["a cell without its MVCC number", { tags: false, mvcc: true }, cell(), "E_TRUNCATED", "MVCC number"],
    ["a cell with a cut MVCC number", { tags: false, mvcc: true }, cell(0x8f), "E_TRUNCATED", "MVCC number"],
  ])("are refused in a block of %s", (_, layout, body, code, field) => {
    expect(() => parseCells(body, layout)).toThrow(expect.objectContaining({ code, field }));
  });
});

describe("compareKeys", () => {
  const newest = [0x7f, 255, 255, 255, 255, 255, 255, 255];
  const negative = [255, 255, 255, 255, 255, 255, 255, 255];
  const sorted = [
    key("a", "z"),
    key("f", "a"),
    key("f", "q", newest, 8),
    key("f", "q", newest, 4),
    key("f", "q", [0, 0, 0, 0, 0, 0, 0, 6]),
    key("f", "q"),
    key("f", "q", negative),
  ];

  it("orders families and qualifiers up, timestamps with their sign and types down", () => {
    for (const [i, left] of sorted.entries()) {
      for (const [j, right] of sorted.entries()) {
        expect(Math.sign(compareKeys(left, right)), `${i} and ${j}`).toBe(Math.sign(i - j));
      }
    }
  });
});

describe("a cell that is written", () => {
  it.each([
    ["a timestamp", { timestamp: 2n ** 63n }],
    ["a negative MVCC number", { mvcc: -1n }],
    ["an MVCC number", { mvcc: 2n ** 63n }],
  ])("is refused for %s that has no place in 64 bits", async (_, fields) => {
    const writer = new HFileWriter(memorySink(), {});
    const input = { row: "a", value: "b", ...fields };
    await expect(writer.append([input])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "timestamp",
    });
  });

  it("keeps its timestamp, down to the smallest", async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (timestamp) => {
        const sink = memorySink();
        const writer = new HFileWriter(sink, {});
        await writer.append([{ row: "a", value: "b", family: Uint8Array.of(102), timestamp }]);
        await writer.finish();
        expect((await (await openHFile(sink.bytes())).first())?.timestamp).toBe(timestamp);
      }),
      { numRuns: 20 },
    );
  });
});
