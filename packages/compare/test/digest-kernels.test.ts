/** The hashes of WebAssembly SIMD match those of the portable loops. */
import { chooseDigestKernels, type HashedCells } from "@cfile/kernels/rows";
import fc from "fast-check";
import { expect, test } from "vitest";
import { portableSums } from "../src/digest/cell-sums.js";
import { portableHashes } from "../src/digest/string-hashes.js";

const simd = chooseDigestKernels("simd");

test("of strings of all lengths", () => {
  const strings = fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 20 });
  fc.assert(
    fc.property(strings, fc.uint8Array({ maxLength: 9 }), (values, before) => {
      const all = [before, ...values];
      const offsets = Int32Array.from(values, (_, i) => sizeOf(all.slice(0, i + 1)));
      const given = {
        offsets: Int32Array.of(...offsets, sizeOf(all)),
        data: Uint8Array.from(all.flatMap((bytes) => [...bytes])),
      };
      const [left, right] = [new Int32Array(2 * values.length), new Int32Array(2 * values.length)];
      portableHashes(given, values.length, left);
      simd.hashStrings(portableHashes)(given, values.length, right);
      expect(right).toEqual(left);
    }),
    { numRuns: 300 },
  );
});

const sizeOf = (all: readonly Uint8Array[]): number => all.reduce((sum, { length }) => sum + length, 0);

test("of cells of all forms, with nulls and keys", () => {
  const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const column = (length: number) =>
    fc.record<HashedCells>({
      words: fc
        .array(word, { minLength: 2 * length, maxLength: 2 * length })
        .map((all) => Int32Array.from(all)),
      form: fc.constantFrom("pairs", "signed", "unsigned"),
      validity: fc.option(fc.uint8Array({ minLength: (length + 7) >> 3, maxLength: 10 }), { nil: undefined }),
      seed: fc.tuple(word, word),
      isKey: fc.boolean(),
    });
  const tables = fc
    .integer({ min: 0, max: 67 })
    .chain((length) => fc.tuple(fc.constant(length), fc.array(column(length), { maxLength: 4 })));
  fc.assert(
    fc.property(tables, ([length, columns]) => {
      const sums = (): Int32Array => Int32Array.from({ length: 2 * columns.length + 2 }, (_, i) => i);
      const [left, right] = [sums(), sums()];
      portableSums(columns, length, left);
      simd.sumCells(portableSums)(columns, length, right);
      expect(right).toEqual(left);
    }),
    { numRuns: 500 },
  );
});
