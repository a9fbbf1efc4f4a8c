import { describe, expect, test } from "vitest";
import { ArrivedBytes } from "../src/http/arrived-bytes.js";
import { numbered } from "./paused-source.js";

const newBytes = (length: number): Uint8Array => new Uint8Array(length);

/** Appends pieces of these lengths, repeating the list, until all bytes have arrived. */
function arrived(...lengths: readonly number[]): ArrivedBytes {
  const bytes = new ArrivedBytes();
  for (let i = 0; bytes.end < numbered.length; i++) {
    bytes.append(numbered.slice(bytes.end, bytes.end + (lengths[i % lengths.length] ?? 1)));
  }
  return bytes;
}

describe.each([
  [[100_000]],
  [[1]],
  [[16_384]],
  [[16_383]],
  [[1, 20_000]],
  [[3, 65_536, 17_000, 0]],
  [[60_000, 16_000]],
])("bytes that arrive in pieces of %o", (lengths) => {
  const bytes = arrived(...lengths);

  test("equal the bytes sent", () => {
    expect(bytes.end).toBe(numbered.length);
    for (const start of [0, 1, 2, 16_383, 16_384, 20_000, 65_535, 65_536, 99_999, 100_000]) {
      for (const length of [0, 1, 100, 16_384, 70_000, 100_000]) {
        const end = Math.min(start + length, numbered.length);
        expect(Buffer.compare(bytes.between(start, end, newBytes), numbered.subarray(start, end))).toBe(0);
      }
    }
  });

  test("are copied into the target or returned as views", () => {
    const target = new Uint8Array(100_000);
    const all = bytes.between(0, 100_000, () => target);
    expect(Buffer.compare(all, numbered)).toBe(0);
    expect(all.buffer === target.buffer).toBe(lengths[0] !== 100_000);
  });
});

test("small pieces share an allocation", () => {
  const small = Uint8Array.of(1);
  const bytes = new ArrivedBytes();
  for (let i = 0; i < 10; i++) {
    bytes.append(small);
  }
  expect(bytes.between(0, 10, newBytes).buffer).toBe(bytes.between(3, 4, newBytes).buffer);
});

test("no bytes have arrived at first", () => {
  expect(new ArrivedBytes().between(0, 0, newBytes)).toEqual(new Uint8Array(0));
});

test("offsets are those of the file", () => {
  const bytes = new ArrivedBytes(1000);
  bytes.append(numbered.slice(1000, 50_000));
  bytes.append(numbered.slice(50_000, 90_000));
  expect(bytes.start).toBe(1000);
  expect(bytes.end).toBe(90_000);
  expect(bytes.between(49_990, 50_010, newBytes)).toEqual(numbered.subarray(49_990, 50_010));
  expect(bytes.between(89_000, 95_000, newBytes)).toEqual(numbered.subarray(89_000, 90_000));
});

test("bytes beyond a limit are refused", () => {
  const bytes = new ArrivedBytes(10);
  expect(bytes.append(numbered.slice(10, 20), 20)).toBe(true);
  expect(bytes.append(numbered.slice(20, 21), 20)).toBe(false);
  expect(bytes.end).toBe(20);
});

test("the unused rest of a slab is released", () => {
  const bytes = new ArrivedBytes();
  bytes.append(numbered.slice(0, 100));
  bytes.closeSlab();
  expect(bytes.between(0, 100, newBytes).buffer.byteLength).toBe(100);
  bytes.append(numbered.slice(100, 200));
  expect(bytes.between(50, 150, newBytes)).toEqual(numbered.subarray(50, 150));
});
