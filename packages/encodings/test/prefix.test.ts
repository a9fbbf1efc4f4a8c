import { ByteReader, fromHex, toHex } from "@cfile/bytes";
import { readGroupVarint } from "@cfile/varint/group-varint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BinaryVector } from "../src/index.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { vectorOfCells } from "./random-values.js";
import { cellsOf } from "./vectors.js";

const SEED = { seed: 20260111 };

/** Words with long common prefixes: paths, long runs, and prefixes of each other. */
const words = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom("", "/usr", "/usr/local", "x".repeat(200)), fc.nat(30))
        .map(([a, n]) => `${a}/${n}`),
      fc.nat(300).map((length) => "ab".repeat(length)),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 90 },
  )
  .map((list) => list.map((word) => toHex(new TextEncoder().encode(word))));

function build(cells: readonly string[], restartInterval?: number): Uint8Array {
  const builder = createBlockBuilder("STRING", "PREFIX_ENCODING", { blockSize: 1 << 24, restartInterval });
  builder.add(vectorOfCells("STRING", cells), 0, cells.length);
  return builder.finish(0);
}

function header(block: Uint8Array): number[] {
  const numbers = new Uint32Array(4);
  readGroupVarint(new ByteReader(block), numbers, 0, "header");
  return [...numbers];
}

describe("prefix blocks", () => {
  it("the restart interval defaults to 16", () => {
    expect(header(build(["61"]))).toEqual([1, 0, 16, 0]);
    expect(header(build(["61"], 300))).toEqual([1, 0, 300, 0]);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 32])("rejects a restart interval of %d", (restartInterval) => {
    expect(() =>
      createBlockBuilder("STRING", "PREFIX_ENCODING", { blockSize: 512, restartInterval }),
    ).toThrow(
      expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT", field: "restart interval" }),
    );
  });

  it.each([
    [0, 16, 0],
    [1, 16, 0],
    [16, 16, 0],
    [17, 16, 1],
    [33, 16, 2],
    [5, 1, 4],
    [5, 2, 2],
    [5, 2 ** 32 - 1, 0],
  ])(
    "%d values with interval %d have %d restarts, whose entries share no prefix",
    (count, interval, restarts) => {
      const block = build(
        Array.from({ length: count }, () => "6161"),
        interval,
      );
      const view = new DataView(block.buffer);
      expect(view.getUint32(block.length - 4, true)).toBe(restarts);
      for (let i = 1; i <= restarts; i++) {
        const position = view.getUint32(block.length - 4 - 4 * i, true);
        expect(toHex(block.subarray(position, position + 4))).toBe("00026161");
      }
    },
  );

  it("encodes shared and non-shared lengths of more than one byte", () => {
    const long = "61".repeat(20000);
    const cells = [long, `${long}62`, `${long}${"63".repeat(300)}`, "", long];
    const block = build(cells);
    expect(block.length).toBeLessThan(2 * 20000 + 400);
    const decoder = openBlock("STRING", "PREFIX_ENCODING", block);
    decoder.check();
    expect(cellsOf(decoder.decode(0, 5))).toEqual(cells);
    expect(cellsOf(decoder.decode(2, 3))).toEqual([cells[2]]);
  });

  it("copies the previous value, so that its memory may change between calls", () => {
    const data = fromHex("6161");
    const vector: BinaryVector = { kind: "binary", length: 1, offsets: Int32Array.of(0, 2), data };
    const builder = createBlockBuilder("STRING", "PREFIX_ENCODING", { blockSize: 512 });
    builder.add(vector, 0, 1);
    data.set(fromHex("6162"));
    builder.add(vector, 0, 1);
    expect(cellsOf(openBlock("STRING", "PREFIX_ENCODING", builder.finish(0)).decode(0, 2))).toEqual([
      "6161",
      "6162",
    ]);
  });

  it("decodes ranges and seeks in any order, with any interval", () => {
    const moves = fc.array(fc.tuple(fc.constantFrom("decode", "seek", "check"), fc.nat(90), fc.nat(90)), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 20 }), moves, (list, interval, steps) => {
        const cells = [...list].sort();
        const block = openBlock("STRING", "PREFIX_ENCODING", build(cells, interval));
        for (const [move, a, b] of steps) {
          const from = Math.min(a, b, cells.length);
          const to = Math.min(Math.max(a, b), cells.length);
          if (move === "decode") {
            expect(cellsOf(block.decode(from, to))).toEqual(cells.slice(from, to));
          } else if (move === "check") {
            block.check();
          } else {
            const wanted = cells[from] ?? "ff";
            const first = cells.findIndex((cell) => cell >= wanted);
            const position = first < 0 ? cells.length : first;
            expect(block.seek(fromHex(wanted))).toEqual({ position, exact: first >= 0 });
          }
        }
      }),
      { ...SEED, numRuns: 300 },
    );
  });

  it("is not affected by changes to decoded values", () => {
    const block = openBlock("STRING", "PREFIX_ENCODING", build(["616161", "616162", "616163"]));
    const first = block.decode(0, 2);
    if (first.kind === "binary") {
      first.data.fill(0);
    }
    expect(cellsOf(block.decode(2, 3))).toEqual(["616163"]);
    expect(cellsOf(block.decode(0, 3))).toEqual(["616161", "616162", "616163"]);
  });
});
