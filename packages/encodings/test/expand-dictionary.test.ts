import { chooseKernels } from "@cfile/kernels/encode";
import { describe, expect, test } from "vitest";
import { expandDictionaries, expandDictionary } from "../src/batches.js";
import { BinaryBatch, batchOfVector, DictionaryBatch } from "../src/index.js";

const words = {
  kind: "binary",
  length: 3,
  offsets: Int32Array.of(0, 1, 1, 4),
  data: Buffer.from("abcd"),
} as const;

function batch(codes: number[], nulls: number[] = []): DictionaryBatch {
  const validity = new Uint8Array(2).fill(0xff);
  for (const row of nulls) {
    validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7));
  }
  const rows = {
    type: "STRING",
    length: codes.length,
    firstRow: 5,
    validity,
    nullCount: nulls.length,
  } as const;
  return new DictionaryBatch(rows, Int32Array.from(codes), words);
}

describe.each([
  ["portable", undefined],
  ["SIMD", chooseKernels("simd")],
])("%s", (_, kernels) => {
  test("replaces codes with strings", () => {
    const expanded = expandDictionary(batch([2, 0, 1, 2]), { kernels });
    expect(expanded).toBeInstanceOf(BinaryBatch);
    expect(expanded.firstRow).toBe(5);
    expect([...expanded.offsets]).toEqual([0, 3, 4, 4, 7]);
    expect(expanded.toArray()).toEqual(["bcd", "a", "", "bcd"]);
  });

  test("keeps nulls, which take no bytes", () => {
    const expanded = expandDictionary(batch([2, 0, 0, 2], [1]), { kernels });
    expect(expanded.toArray()).toEqual(["bcd", null, "a", "bcd"]);
    expect(expanded.data.length).toBe(7);
  });

  test("rejects a code outside the dictionary and strings above the limit", () => {
    const thrown = (code: string) => expect.objectContaining({ code });
    expect(() => expandDictionary(batch([3]), { kernels })).toThrow(thrown("E_CORRUPT"));
    expect(() => expandDictionary(batch([-1]), { kernels })).toThrow(thrown("E_CORRUPT"));
    expect(() => expandDictionary(batch([2, 2]), { kernels, maxDecodedBytes: 5 })).toThrow(thrown("E_LIMIT"));
  });
});

test("returns other batches unchanged", () => {
  const rows = { type: "STRING", length: 3, firstRow: 0, validity: undefined, nullCount: 0 } as const;
  const binary = batchOfVector(rows, words);
  expect(expandDictionaries(binary)).toBe(binary);
});
