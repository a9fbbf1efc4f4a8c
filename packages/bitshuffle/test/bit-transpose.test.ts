import { createHash } from "node:crypto";
import { fromHex, toHex } from "@cfile/bytes";
import { chooseKernels } from "@cfile/kernels/encode";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as portable from "../src/index.js";
import { bitshuffleVectors } from "./golden.js";

const ELEMENT_SIZES = [1, 2, 4, 8, 16];

/** The definition, bit by bit. */
function transposedBitByBit(elements: Uint8Array, elementSize: number, count: number): Uint8Array {
  const rows = new Uint8Array(elements.length);
  const rowLength = count / 8;
  for (let i = 0; i < count; i++) {
    for (let b = 0; b < 8 * elementSize; b++) {
      const bit = ((elements[i * elementSize + (b >> 3)] ?? 0) >> (b & 7)) & 1;
      const at = b * rowLength + (i >> 3);
      rows[at] = (rows[at] ?? 0) | (bit << (i & 7));
    }
  }
  return rows;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe.each(["portable", "simd"] as const)("bit transposition, %s", (version) => {
  const kernels = chooseKernels(version);
  const bitTranspose = kernels.bitTranspose(portable.bitTranspose);
  const bitUntranspose = kernels.bitUntranspose(portable.bitUntranspose);

  it.each(bitshuffleVectors)("matches the bitshuffle library for $name", (vector) => {
    const { elementSize, paddedCount, chunkElements, padded } = vector;
    const rows = new Uint8Array(padded.length);
    const back = new Uint8Array(padded.length);
    for (let first = 0; first < paddedCount; first += chunkElements) {
      const count = Math.min(chunkElements, paddedCount - first);
      const at = first * elementSize;
      bitTranspose(padded.subarray(at), rows.subarray(at), elementSize, count);
      bitUntranspose(rows.subarray(at), back.subarray(at), elementSize, count);
    }
    if (vector.transposed !== undefined) {
      expect(toHex(rows)).toBe(toHex(vector.transposed));
    } else {
      expect(sha256(vector.input)).toBe(vector.inputSha256);
      expect(sha256(rows)).toBe(vector.transposedSha256);
    }
    expect(toHex(back)).toBe(toHex(padded));
  });

  it.each([
    [1, "0102030405060708", "5566788000000000"],
    [2, "00010101020103010401050106010701", "aaccf00000000000ff00000000000000"],
  ])("matches the specification's example of %d-byte elements", (elementSize, elements, rows) => {
    const output = new Uint8Array(elements.length / 2);
    bitTranspose(fromHex(elements), output, elementSize, 8);
    expect(toHex(output)).toBe(rows);
  });

  it("matches its definition and can be reversed, for any size and alignment", () => {
    const sized = fc
      .record({
        elementSize: fc.constantFrom(...ELEMENT_SIZES),
        groups: fc.nat({ max: 70 }),
        inputStart: fc.nat({ max: 9 }),
        outputStart: fc.nat({ max: 9 }),
      })
      .chain(({ elementSize, groups, inputStart, outputStart }) =>
        fc.record({
          elementSize: fc.constant(elementSize),
          groups: fc.constant(groups),
          inputStart: fc.constant(inputStart),
          outputStart: fc.constant(outputStart),
          elements: fc.uint8Array({
            minLength: 8 * groups * elementSize,
            maxLength: 8 * groups * elementSize,
            size: "max",
          }),
        }),
      );
    fc.assert(
      fc.property(sized, ({ elementSize, groups, inputStart, outputStart, elements }) => {
        const count = 8 * groups;
        const input = new Uint8Array(inputStart + elements.length + 5);
        input.set(elements, inputStart);
        const output = new Uint8Array(outputStart + elements.length + 5).fill(0xa5);
        bitTranspose(input.subarray(inputStart), output.subarray(outputStart), elementSize, count);
        const rows = output.slice(outputStart, outputStart + elements.length);
        expect(toHex(rows)).toBe(toHex(transposedBitByBit(elements, elementSize, count)));

        bitUntranspose(rows, output.subarray(outputStart), elementSize, count);
        const expected = new Uint8Array(output.length).fill(0xa5);
        expected.set(elements, outputStart);
        expect(toHex(output)).toBe(toHex(expected));
      }),
      { numRuns: 150, seed: 1 },
    );
  });

  it.each(ELEMENT_SIZES)("handles more than one chunk of %d-byte elements", (elementSize) => {
    for (const count of [(3 * 8192) / elementSize, (3 * 8192) / elementSize + 8]) {
      const elements = new Uint8Array(count * elementSize).map((_, i) => (i * i) >>> 3);
      const rows = new Uint8Array(elements.length);
      const back = new Uint8Array(elements.length);
      bitTranspose(elements, rows, elementSize, count);
      expect(Buffer.compare(rows, transposedBitByBit(elements, elementSize, count))).toBe(0);
      bitUntranspose(rows, back, elementSize, count);
      expect(Buffer.compare(back, elements)).toBe(0);
    }
  });

  it.each([
    ["element size 3", 0, 0, 3, 8],
    ["element size 0", 0, 0, 0, 8],
    ["a count that is not a multiple of 8", 0, 0, 1, 12],
    ["a negative count", 0, 0, 1, -8],
    ["a fractional count", 0, 0, 1, 8.5],
    ["a count of NaN", 0, 0, 1, Number.NaN],
    ["an input that is too short", 57, 0, 1, 8],
    ["an output that is too short", 0, 57, 1, 8],
  ])("rejects %s", (_reason, inputStart, outputStart, elementSize, count) => {
    for (const transpose of [bitTranspose, bitUntranspose]) {
      expect(() =>
        transpose(new Uint8Array(64 - inputStart), new Uint8Array(64 - outputStart), elementSize, count),
      ).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    }
  });
});
