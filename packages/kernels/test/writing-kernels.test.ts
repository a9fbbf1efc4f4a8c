/** Compares the kernels for writing with straightforward references, also on bad input. */
import { MemoryArena } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HeldWords } from "../src/index.js";
import { NO_CODES, SimdWordTable } from "../src/simd/simd-word-table.js";
import { packed } from "./references.js";
import { KernelsAlone } from "./simd-alone.js";

const kernels = new KernelsAlone();

/** Strings in Arrow's layout. */
function stringsOf(words: readonly Uint8Array[], first = 0): { offsets: Int32Array; data: Uint8Array } {
  const offsets = new Int32Array(words.length + 1);
  offsets[0] = first;
  for (const [i, word] of words.entries()) {
    offsets[i + 1] = (offsets[i] as number) + word.length;
  }
  const data = new Uint8Array(offsets[words.length] as number);
  for (const [i, word] of words.entries()) {
    data.set(word, offsets[i]);
  }
  return { offsets, data };
}

describe("writeOffsets", () => {
  test("writes words in as few bytes as possible, and pads the last group with zeros", () => {
    const word = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 0x7fffffff }));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const expected: number[] = [];
        for (let i = 0; i < words.length; i += 4) {
          const four = [0, 1, 2, 3].map((k) => words[i + k] ?? 0);
          const lengths = four.map((value) =>
            value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x1000000 ? 3 : 4,
          );
          expected.push(lengths.reduce((selector, length) => selector * 4 + length - 1, 0));
          for (const [k, length] of lengths.entries()) {
            expected.push(...packed([BigInt(four[k] as number)], 32).subarray(0, length));
          }
        }
        const padded = Int32Array.from([...words, 77, 77, 77, 77]);
        expect([...(kernels.writeOffsets(padded, words.length) ?? [])]).toEqual(expected);
      }),
      { seed: 1, numRuns: 500 },
    );
    expect(kernels.writeOffsets(new Int32Array(3), 4)).toBeUndefined();
    expect(kernels.writeOffsets(new Int32Array(3), -1)).toBeUndefined();
  });
});

describe("gather", () => {
  test.each([1, 2, 4, 8, 16])("copies values of %i bytes of marked rows from any row on", (width) => {
    const memory = new MemoryArena();
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), fc.nat(), fc.nat(), (present, left, right) => {
        const rows = present.length;
        const [from, to] = [left % (rows + 1), right % (rows + 1)].sort((a, b) => a - b) as [number, number];
        const bits = present.map((one) => (one ? 1n : 0n));
        const values = Uint8Array.from({ length: rows * width }, (_, i) => i * 31 + 1);
        const expected: number[] = [];
        for (let row = from; row < to; row++) {
          if (present[row]) {
            expected.push(...values.subarray(row * width, (row + 1) * width));
          }
        }
        memory.recycle();
        const gathered = kernels.gather(values, packed(bits, 1), from, to, width, memory);
        expect([...new Uint8Array(gathered as ArrayBuffer, 0, expected.length)]).toEqual(expected);
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  test("declines values and bitmaps that are too short", () => {
    expect(kernels.gather(new Uint8Array(7), Uint8Array.of(3), 0, 2, 4)).toBeUndefined();
    expect(kernels.gather(new Uint8Array(80), Uint8Array.of(3), 0, 9, 4)).toBeUndefined();
    expect(kernels.gather(new Uint8Array(9), Uint8Array.of(3), 0, 2, 3)).toBeUndefined();
    expect(kernels.gather(new Uint8Array(9), Uint8Array.of(3), 2, 1, 1)).toBeUndefined();
  });
});

describe("words of a bitshuffle block", () => {
  test.each([
    [1, 0xff],
    [2, 0x100],
    [2, 0xffff],
    [4, 0x10000],
    [4, 0xffffffff],
  ])("take %i bytes each if the largest is %i", (size, largest) => {
    for (const count of [8, 1000, 9000]) {
      const values = Uint32Array.from({ length: count }, (_, i) => (i * 7919) % (largest + 1));
      values[count >> 1] = largest;
      const shuffled = kernels.bitshuffleEncodeWords(new Uint8Array(values.buffer), count);
      const stream = shuffled?.stream.slice();
      const narrow = packed(Array.from(values, BigInt), 8 * size);
      expect(shuffled?.size).toBe(size);
      expect(stream).toEqual(kernels.bitshuffleEncode(narrow, count, size));
    }
    expect(kernels.bitshuffleEncodeWords(new Uint8Array(64), 15)).toBeUndefined();
    expect(kernels.bitshuffleEncodeWords(new Uint8Array(64), 24)).toBeUndefined();
  });
});

/** A dictionary under construction: the words that the caller of a table keeps. */
class Words {
  readonly words: Uint8Array[] = [];
  private readonly codes = new Map<string, number>();
  private readonly blockSize: number;

  constructor(blockSize: number) {
    this.blockSize = blockSize;
  }

  held(): HeldWords {
    const { offsets, data } = stringsOf(this.words, 12);
    return {
      offsets,
      data,
      count: this.words.length,
      valueBytes: this.valueBytes,
      blockSize: this.blockSize,
    };
  }

  private get valueBytes(): number {
    const { offsets } = stringsOf(this.words, 12);
    return this.words.reduce((sum, word, i) => {
      const offset = offsets[i] as number;
      return sum + word.length + (offset < 0x100 ? 1 : offset < 0x10000 ? 2 : 3);
    }, 0);
  }

  /** The expected result of a table. */
  find(strings: readonly Uint8Array[], room: number): { codes: number[]; fresh: number } {
    const codes: number[] = [];
    const before = this.words.length;
    for (const word of strings) {
      const key = word.join();
      if (!this.codes.has(key)) {
        if (12 + Math.ceil(this.words.length / 4) + this.valueBytes > this.blockSize) {
          break;
        }
        this.codes.set(key, this.words.length);
        this.words.push(word);
      }
      if (codes.length === room) {
        break;
      }
      codes.push(this.codes.get(key) as number);
    }
    return { codes, fresh: this.words.length - before };
  }
}

/** The codes that a table finds for the strings. */
function lookUp(table: SimdWordTable, strings: readonly Uint8Array[], room: number, words: Words) {
  const { offsets, data } = stringsOf(strings, 3);
  const own = new Words(Number.POSITIVE_INFINITY);
  own.find(words.words, Number.POSITIVE_INFINITY);
  const limits = words.held();
  const codes: number[] = [];
  let fresh = 0;
  for (let isFull = false; !isFull && codes.length < strings.length; ) {
    const { valueBytes, ...held } = own.held();
    const found = table.findCodes({ offsets, data }, codes.length, strings.length, room - codes.length, {
      ...held,
      valueBytes,
      blockSize: limits.blockSize,
    });
    if (found === NO_CODES) {
      throw new Error("declined");
    }
    const start = codes.length;
    own.find(
      [...found.fresh].map((position) => strings[start + position] as Uint8Array),
      Number.POSITIVE_INFINITY,
    );
    fresh += found.fresh.length;
    codes.push(...found.codes);
    isFull = found.isFull;
  }
  return { codes, fresh };
}

describe("SimdWordTable", () => {
  const word = fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.uint8Array({ maxLength: 40 }),
    fc.tuple(fc.constantFrom(15, 16, 17, 24, 31, 32, 33), fc.nat(2)).map(([length, last]) => {
      const same = new Uint8Array(length).fill(7);
      same[length - 1] = last;
      return same;
    }),
  );

  test("finds codes of known and new words, until the dictionary or the array of codes is full", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { maxLength: 60 }), { maxLength: 4 }),
        fc.integer({ min: 20, max: 600 }),
        fc.integer({ min: 0, max: 80 }),
        (batches, blockSize, room) => {
          const table = new SimdWordTable([]);
          const words = new Words(blockSize);
          for (const strings of batches) {
            const found = lookUp(table, strings, room, words);
            expect(found).toEqual(words.find(strings, room));
          }
          table.release();
        },
      ),
      { seed: 3, numRuns: 300 },
    );
  });

  test("grows with its words, and learns words that were added elsewhere", () => {
    const table = new SimdWordTable([]);
    const all = Array.from({ length: 5000 }, (_, i) =>
      new TextEncoder().encode(`a word of some length, ${i}`),
    );
    const { offsets, data } = stringsOf(all, 12);
    const held = (count: number): HeldWords => ({
      offsets,
      data,
      count,
      valueBytes: 0,
      blockSize: 0xffffffff,
    });
    let known = 0;
    for (const from of [0, 700, 4999, 100]) {
      let at = from;
      while (at < all.length) {
        const found = table.findCodes({ offsets, data }, at, all.length, all.length, held(known));
        expect(found?.isFull).toBe(false);
        expect([...(found?.codes ?? [])]).toEqual(
          Array.from({ length: found?.codes.length ?? 0 }, (_, i) => at + i),
        );
        at += found?.codes.length ?? 0;
        known = Math.max(known, at);
      }
    }
    // A table that holds more words than the dictionary is rebuilt.
    const again = table.findCodes({ offsets, data }, 0, 10, 10, held(3));
    expect([...(again?.fresh ?? [])]).toEqual([3, 4, 5, 6, 7, 8, 9]);
    table.release();
  });

  test("declines strings outside the data, and forgets words found with them", () => {
    const table = new SimdWordTable([]);
    const data = new TextEncoder().encode("abcdefgh");
    const empty: HeldWords = {
      offsets: Int32Array.of(12),
      data,
      count: 0,
      valueBytes: 0,
      blockSize: 1000,
    };
    for (const bad of [
      [0, 3, 2, 8],
      [0, 9],
      [-1, 3],
      [0, 2, -5, 8],
      [5, 2],
      [0, 2, 100, 8],
    ]) {
      const offsets = Int32Array.from(bad);
      expect(table.findCodes({ offsets, data }, 0, bad.length - 1, 10, empty)).toBe(NO_CODES);
    }
    expect(table.findCodes({ offsets: Int32Array.of(0, 2), data }, 0, 2, 10, empty)).toBe(NO_CODES);
    const found = table.findCodes({ offsets: Int32Array.of(0, 4, 8), data }, 0, 2, 10, empty);
    expect([...(found?.fresh ?? [])]).toEqual([0, 1]);
    table.release();
  });
});

describe("values of a prefix block", () => {
  test("may share more bytes than the vectors hold, and expand to far more bytes than the block", () => {
    const shared = Uint8Array.from({ length: 100 }, (_, i) => i);
    // The first value, then values that share 100, 99, 33, 32, 31 and 0 bytes with the previous one and have two more.
    const entries: number[] = [0, 100, ...shared];
    const expected: Uint8Array[] = [shared];
    for (const length of [100, 99, 33, 32, 31, 0]) {
      entries.push(length, 2, 200, 201);
      expected.push(Uint8Array.from([...shared.subarray(0, length), 200, 201]));
    }
    const repeated = 200;
    entries.push(0, 100, ...shared);
    expected.push(shared);
    for (let i = 0; i < repeated; i++) {
      entries.push(100, 0);
      expected.push(shared);
    }
    const block = Uint8Array.from(entries);
    const { offsets, data } = stringsOf(expected);
    const decode = (end: number, maxBytes: number) =>
      kernels.prefixDecode(block, 0, end, expected.length, 1 << 20, maxBytes);
    const decoded = decode(block.length, 1 << 20);
    expect(decoded?.offsets).toEqual(offsets);
    expect(decoded?.data).toEqual(data);
    expect(decode(block.length, data.length)?.data).toEqual(data);
    expect(decode(block.length, data.length - 1)).toBeUndefined();
    expect(decode(block.length - 1, 1 << 20)).toBeUndefined();
  });
});
