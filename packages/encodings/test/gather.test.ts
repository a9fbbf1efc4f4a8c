/** Gather is the inverse of scatter. */
import { bitmapByteLength, setBit } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { batchFromValues } from "../src/batches.js";
import { gatherVector, scatterVector } from "../src/headers.js";
import type { DataType, InputCell } from "../src/index.js";
import { vectorBytes } from "./golden.js";

const TYPES: readonly [DataType, (i: number) => InputCell][] = [
  ["INT8", (i) => (i % 200) - 100],
  ["UINT16", (i) => i * 7],
  ["INT32", (i) => -i],
  ["DOUBLE", (i) => i / 3],
  ["INT64", (i) => BigInt(i) << 33n],
  ["INT128", (i) => BigInt(i) << 90n],
  ["BOOL", (i) => i % 3 === 0],
  ["STRING", (i) => `value ${i % 50}`],
];

describe.each(TYPES)("%s", (type, cellOf) => {
  test("gathers present values from any range and scatters them back", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), fc.nat(50), (present, skip) => {
        const validity = new Uint8Array(bitmapByteLength(present.length));
        present.forEach((bit, row) => {
          if (bit) {
            setBit(validity, row);
          }
        });
        const cells = present.map((bit, row) => (bit ? cellOf(row) : null));
        const batch = batchFromValues({ type, nullable: true }, cells);
        if (batch.kind === "array") {
          throw new TypeError("no arrays here");
        }
        const from = Math.min(skip, present.length);
        const gathered = gatherVector(batch, validity, from, present.length);
        const expected = cells.slice(from).filter((cell) => cell !== null);
        expect(gathered.length).toBe(expected.length);
        const alone = batchFromValues({ type }, expected);
        if (gathered.kind === "fixed" && alone.kind === "fixed") {
          expect(vectorBytes(gathered)).toEqual(vectorBytes(alone));
          const spread = scatterVector(
            gatherVector(batch, validity, 0, present.length),
            validity,
            present.length,
          );
          expect(spread.kind === "fixed" && vectorBytes(spread)).toEqual(vectorBytes(batch));
        }
        if (gathered.kind === "bool" && alone.kind === "bool") {
          expect(vectorBytes(gathered)).toEqual(vectorBytes(alone));
        }
        if (gathered.kind === "dictionary") {
          const { offsets, data } = gathered.dictionary;
          const texts = Array.from(gathered.codes, (code) =>
            Buffer.from(data.subarray(offsets[code], offsets[code + 1])).toString(),
          );
          expect(texts).toEqual(expected);
        }
      }),
      { seed: 31, numRuns: 150 },
    );
  });
});
