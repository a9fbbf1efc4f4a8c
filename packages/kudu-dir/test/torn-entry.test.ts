/** Which last entries a crash can leave, by sector of the disk. */
import { expect, it } from "vitest";
import { isPartlyWritten, isUnwritten } from "../src/log/torn-entry.js";

const SIZE = 2048;
const written = new Uint8Array(SIZE).fill(7);

function withZeros(
  from: number,
  to: number,
  isEncrypted = false,
): { bytes: Uint8Array; isEncrypted: boolean } {
  return { bytes: written.slice().fill(0, from, to), isEncrypted };
}

it("is partly written if one of its sectors has zeros at its end", () => {
  const [from, to] = [300, 1800];
  expect(isPartlyWritten(withZeros(0, 0), from, to)).toBe(false);
  for (const [start, end] of [
    [300, 512],
    [512, 1024],
    [1024, 1536],
    [1536, 1800],
    [504, 512],
    [1000, SIZE],
  ] as const) {
    expect([start, end, isPartlyWritten(withZeros(start, end), from, to)]).toEqual([start, end, true]);
  }
  // Zeros that are not at the end of a sector, or too few.
  for (const [start, end] of [
    [400, 511],
    [505, 512],
    [600, 700],
    [0, 300],
    [1800, SIZE],
  ] as const) {
    expect([start, end, isPartlyWritten(withZeros(start, end), from, to)]).toEqual([start, end, false]);
  }
});

it("of few bytes is partly written if all are zeros", () => {
  expect(isPartlyWritten(withZeros(510, 514), 510, 514)).toBe(true);
  expect(isPartlyWritten(withZeros(510, 512), 510, 514)).toBe(true);
  expect(isPartlyWritten(withZeros(511, 513), 510, 514)).toBe(false);
});

it("in an encrypted file may begin with any bytes up to the next block of the cipher", () => {
  const from = 520;
  expect(isUnwritten(withZeros(528, SIZE, true), from, SIZE)).toBe(true);
  expect(isUnwritten(withZeros(528, SIZE), from, SIZE)).toBe(false);
  expect(isUnwritten(withZeros(529, SIZE, true), from, SIZE)).toBe(false);
  expect(isPartlyWritten(withZeros(528, 536, true), from, 536)).toBe(true);
  expect(isPartlyWritten(withZeros(0, 0, true), from, 536)).toBe(false);
  // A sector that ends within that block is not evidence.
  expect(isPartlyWritten(withZeros(0, 0, true), 505, 600)).toBe(true);
  expect(isPartlyWritten(withZeros(0, 0, true), 496, 600)).toBe(false);
});
