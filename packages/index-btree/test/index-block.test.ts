import { compareBytes, concatBytes, fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IndexBlock } from "../src/index.js";
import { IndexBlockBuilder } from "../src/write.js";
import { goldenIndexes } from "./golden.js";

const EXAMPLE = "04000000001064" + "040000000374ac02" + "0000000007000000" + "08021000" + "04000000";
const EMPTY_LEAF = "08001000" + "04000000";

const parsed = (hex: string): IndexBlock => IndexBlock.parse(fromHex(hex));

/** A block of entries, offsets and trailer, in hexadecimal. */
const framed = (entries: string, offsets: readonly number[], trailer: string): string =>
  entries +
  toHex(new Uint8Array(Uint32Array.from(offsets).buffer)) +
  trailer +
  toHex(new Uint8Array(Uint32Array.of(trailer.length / 2).buffer));

function built(entries: readonly (readonly [string, number, number])[], isLeaf = true): Uint8Array {
  const builder = new IndexBlockBuilder();
  for (const [key, offset, size] of entries) {
    builder.add(fromHex(key), { offset, size });
  }
  return builder.finish(isLeaf);
}

describe("an index block", () => {
  it("matches the specification's example in both directions", () => {
    const bytes = built([
      ["00000000", 16, 100],
      ["00000003", 116, 300],
    ]);
    expect(toHex(bytes)).toBe(EXAMPLE);
    const block = IndexBlock.parse(bytes);
    expect([block.isLeaf, block.count]).toEqual([true, 2]);
    expect([toHex(block.key(0)), toHex(block.key(1))]).toEqual(["00000000", "00000003"]);
    expect(block.pointer(1)).toEqual({ offset: 116, size: 300 });
    expect([block.blockOffset(0), block.blockSize(0)]).toEqual([16, 100]);
    expect(block.memory).toBeGreaterThan(bytes.length);
  });

  it("without entries takes 8 bytes", () => {
    expect(toHex(built([]))).toBe(EMPTY_LEAF);
    expect(toHex(built([], false))).toBe("0800100104000000");
    const block = parsed(EMPTY_LEAF);
    expect([block.count, block.isLeaf, block.search(fromHex("00"))]).toEqual([0, true, -1]);
  });

  it("estimates its size like Kudu", () => {
    const builder = new IndexBlockBuilder();
    const estimates = [builder.estimatedSize];
    for (let i = 0; i < 3; i++) {
      builder.add(fromHex(`0000000${i}`), { offset: 16 + 16 * i, size: 16 });
      estimates.push(builder.estimatedSize);
    }
    expect(estimates).toEqual([16, 27, 38, 49]);
    expect(builder.finish(true).length).toBe(41);
    builder.clear();
    expect([builder.count, builder.estimatedSize, toHex(builder.finish(true))]).toEqual([0, 16, EMPTY_LEAF]);
  });

  it("of any golden file is read and rewritten byte for byte", () => {
    let blocks = 0;
    for (const { tree, blockAt, kind } of goldenIndexes) {
      for (const { offset, size, leaf, entries } of tree.index_blocks) {
        const bytes = blockAt(offset, size);
        const block = IndexBlock.parse(bytes);
        expect([block.isLeaf, block.count]).toEqual([leaf, entries]);
        const builder = new IndexBlockBuilder();
        for (let i = 0; i < block.count; i++) {
          builder.add(block.key(i), block.pointer(i));
          expect(block.search(block.key(i))).toBe(i);
          expect(kind === "posidx" ? block.key(i).length : 4).toBe(4);
        }
        expect(toHex(builder.finish(leaf))).toBe(toHex(bytes));
        blocks++;
      }
    }
    expect(blocks).toBeGreaterThan(800);
  });

  it("round-trips any entries, and search() matches a linear search", () => {
    const key = fc.uint8Array({ maxLength: 3 }).map((bytes) => bytes.map((byte) => byte & 3));
    const entry = fc.record({
      key,
      offset: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
      size: fc.nat({ max: 0xffffffff }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), key, fc.boolean(), (entries, target, isLeaf) => {
        entries.sort((a, b) => compareBytes(a.key, b.key));
        const builder = new IndexBlockBuilder();
        for (const { key, ...pointer } of entries) {
          builder.add(key, pointer);
        }
        expect(builder.count).toBe(entries.length);
        const block = IndexBlock.parse(builder.finish(isLeaf));
        expect(block.isLeaf).toBe(isLeaf);
        for (const [i, { key, offset, size }] of entries.entries()) {
          expect(toHex(block.key(i))).toBe(toHex(key));
          expect(block.pointer(i)).toEqual({ offset, size });
        }
        expect(block.search(target)).toBe(entries.findLastIndex(({ key }) => compareBytes(key, target) <= 0));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it("rejects indexes of entries outside 0 to count - 1", () => {
    const block = parsed(EXAMPLE);
    for (const index of [-1, 2, 0.5, Number.NaN]) {
      const invalid = expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "index entry" });
      expect(() => block.key(index)).toThrow(invalid);
      expect(() => block.pointer(index)).toThrow(invalid);
      expect(() => block.blockOffset(index)).toThrow(invalid);
      expect(() => block.blockSize(index)).toThrow(invalid);
    }
    expect(() => new IndexBlockBuilder().firstKey).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it.each([
    [-1, 0],
    [0.5, 0],
    [2 ** 53, 0],
    [0, -1],
    [0, 2 ** 32],
  ])("cannot be built with a pointer to offset %d, size %d", (offset, size) => {
    expect(() => new IndexBlockBuilder().add(fromHex("00"), { offset, size })).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("may have a trailer with fields in any order, repeated fields and unknown fields", () => {
    const entries = "01611064";
    for (const trailer of [
      "10000801",
      "0807100108011000",
      "080110001a036162632101020304050607082d01020304208001",
    ]) {
      const block = parsed(framed(entries, [0], trailer));
      expect([block.count, block.isLeaf, toHex(block.key(0))]).toEqual([1, true, "61"]);
    }
  });
});

describe("a bad index block", () => {
  const one = "01611064";

  it.each([
    ["of no bytes", "", "E_TRUNCATED", "index trailer"],
    ["shorter than trailer and length", "08001004000000", "E_TRUNCATED", "index trailer"],
    ["with a trailer of 3 bytes", "0008001003000000", "E_CORRUPT", "trailer length"],
    ["with a trailer longer than itself", "0800100005000000", "E_CORRUPT", "trailer length"],
    ["with a trailer of 4 GiB", "08001000ffffffff", "E_CORRUPT", "trailer length"],
    ["without a count", framed("", [], "10001000"), "E_CORRUPT", "num_entries"],
    ["without a type", framed("", [], "08000800"), "E_CORRUPT", "index block type"],
    ["of type 2", framed("", [], "08001002"), "E_CORRUPT", "index block type"],
    ["of the unknown type 999", framed("", [], "080010e707"), "E_CORRUPT", "index block type"],
    ["with a negative count", framed("", [], "08ffffffffffffffffff011000"), "E_CORRUPT", "num_entries"],
    ["with a count above int32", framed("", [], "0880808080081000"), "E_CORRUPT", "num_entries"],
    ["with a truncated trailer", framed("", [], "08001080"), "E_TRUNCATED", "index block type"],
    ["with field number 0", framed("", [], "0800100000"), "E_CORRUPT", "index trailer tag"],
    ["with wire type 3", framed("", [], "080010001b"), "E_CORRUPT", "index trailer tag"],
    [
      "with an unknown field beyond the trailer",
      framed("", [], "080010001a05"),
      "E_TRUNCATED",
      "index trailer field",
    ],
    ["with a count beyond its bytes", framed(one, [0], "08021000"), "E_CORRUPT", "num_entries"],
    ["with a huge count", framed(one, [0], "08ffffffff071000"), "E_CORRUPT", "num_entries"],
    ["whose first entry is not at 0", framed(`00${one}`, [1], "08011000"), "E_CORRUPT", "entry offset"],
    ["with an entry offset beyond its end", framed(one, [400], "08011000"), "E_CORRUPT", "entry offset"],
    ["with equal entry offsets", framed(one + one, [0, 0], "08021000"), "E_CORRUPT", "entry offset"],
    ["with descending entry offsets", framed(one + one, [4, 0], "08021000"), "E_CORRUPT", "entry offset"],
    ["with a gap between entries", framed(`${one}00${one}`, [0, 5], "08021000"), "E_CORRUPT", "entry offset"],
    ["with a gap after the entries", framed(`${one}0000`, [0], "08011000"), "E_CORRUPT", "entry offset"],
    ["with entries but a count of 0", framed(one, [], "08001000"), "E_CORRUPT", "entry offset"],
    ["with a key beyond the entries", framed("09611064", [0], "08011000"), "E_TRUNCATED", "key"],
    [
      "with a pointer without an end",
      framed("01618080", [0], "08011000"),
      "E_TRUNCATED",
      "block pointer offset",
    ],
    ["with a pointer without a size", framed("016110", [0], "08011000"), "E_TRUNCATED", "block pointer size"],
    ["with a truncated size", framed("00008080", [0], "08011000"), "E_TRUNCATED", "block pointer size"],
    [
      "with a pointer beyond 2^53",
      framed("00ffffffffffffffff7f01", [0], "08011000"),
      "E_CORRUPT",
      "block pointer offset",
    ],
    ["with descending keys", framed(`01621064${one}`, [0, 4], "08021000"), "E_CORRUPT", "key"],
    [
      "with a key before a longer key with that prefix",
      framed(`0261621064${one}`, [0, 5], "08021000"),
      "E_CORRUPT",
      "key",
    ],
  ])("%s is rejected", (_, hex, code, field) => {
    expect(() => parsed(hex)).toThrow(expect.objectContaining({ code, field, offset: expect.any(Number) }));
  });

  it("may repeat a key, as value indexes do", () => {
    expect(parsed(framed(one + one, [0, 4], "08021000")).search(fromHex("61"))).toBe(1);
  });

  it("with a key above the limit throws E_LIMIT", () => {
    const bytes = built([["61".repeat(20), 16, 100]]);
    expect(IndexBlock.parse(bytes, { maxKeyLength: 20 }).count).toBe(1);
    expect(() => IndexBlock.parse(bytes, { maxKeyLength: 19 })).toThrow(
      expect.objectContaining({ code: "E_LIMIT", field: "key length", offset: 0, expected: 19, actual: 20 }),
    );
  });

  const good = built(
    Array.from({ length: 30 }, (_, i) => [(1000 + 37 * i).toString(16).padStart(6, "0"), 16 + 300 * i, 300]),
  );

  it("is rejected at every truncation, at either end", () => {
    for (let length = 0; length < good.length; length++) {
      for (const bytes of [good.subarray(0, length), good.subarray(good.length - length)]) {
        expect(() => IndexBlock.parse(bytes)).toThrow(expect.objectContaining({ name: "CFileError" }));
      }
    }
  });

  it("is parsed or throws a CFileError for modified and for random bytes", () => {
    const read = (bytes: Uint8Array): void => {
      try {
        const block = IndexBlock.parse(bytes);
        for (let i = 0; i < block.count; i++) {
          expect(block.key(i).length).toBeLessThanOrEqual(bytes.length);
          expect(block.search(block.key(i))).toBeGreaterThanOrEqual(i);
        }
      } catch (error) {
        expect(isCFileError(error)).toBe(true);
      }
    };
    const changes = fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(changes, (differences) => {
        const bytes = good.slice();
        for (const [at, difference] of differences) {
          bytes[at] = (bytes[at] ?? 0) ^ difference;
        }
        read(bytes);
      }),
      { seed: 2, numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 9 }), (bytes, count) => {
        read(concatBytes([bytes, Uint8Array.of(8, count, 16, 0, 4, 0, 0, 0)]));
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});
