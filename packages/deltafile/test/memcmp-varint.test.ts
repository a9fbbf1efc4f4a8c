import { ByteBuilder, fromHex, toHex } from "@cfile/bytes";
import { writeMemcmpableVarint64 } from "@cfile/varint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareDeltaKeys,
  decodeDeltaKey,
  encodeDeltaKey,
  memcmpVarintLength,
  readMemcmpVarint,
  writeMemcmpVarint,
} from "../src/index.js";

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const anyU64 = fc.oneof(
  u64,
  fc.bigInt({ min: 0n, max: 70000n }),
  fc.nat(64).map((bits) => (1n << BigInt(bits)) - 1n),
);
const low = (value: bigint) => Number(value & 0xffffffffn);
const high = (value: bigint) => Number(value >> 32n);

function encode(value: bigint): string {
  const bytes = new Uint8Array(9);
  return toHex(bytes.subarray(0, writeMemcmpVarint(bytes, 0, low(value), high(value))));
}

function decode(hex: string): { value: bigint; length: number } {
  const bytes = fromHex(hex);
  const words = new Uint32Array(2);
  const length = readMemcmpVarint(bytes, 0, bytes.length, words, 0);
  return { value: (BigInt(words[1] as number) << 32n) | BigInt(words[0] as number), length };
}

describe("a memcmp varint", () => {
  it.each([
    [0n, "00"],
    [240n, "f0"],
    [241n, "f101"],
    [300n, "f13c"],
    [2287n, "f8ff"],
    [2288n, "f90000"],
    [67823n, "f9ffff"],
    [67824n, "fa0108f0"],
    [2n ** 24n, "fb01000000"],
    [2n ** 32n - 1n, "fbffffffff"],
    [2n ** 32n, "fc0100000000"],
    [2n ** 56n, "ff0100000000000000"],
    [2n ** 64n - 1n, "ffffffffffffffffff"],
  ])("of %i is %s", (value, hex) => {
    expect(encode(value)).toBe(hex);
    expect(decode(hex)).toEqual({ value, length: hex.length / 2 });
    expect(memcmpVarintLength(low(value), high(value))).toBe(hex.length / 2);
  });

  it("matches @cfile/varint and round-trips", () => {
    fc.assert(
      fc.property(anyU64, (value) => {
        const out = new ByteBuilder();
        writeMemcmpableVarint64(out, value);
        expect(encode(value)).toBe(toHex(out.view8()));
        expect(decode(encode(value)).value).toBe(value);
      }),
      { seed: 1 },
    );
  });

  it.each(["", "f1", "f900", "fa0102", "ff01020304050607"])("is incomplete: '%s'", (hex) => {
    expect(decode(hex).length).toBe(-1);
  });

  it.each([
    ["fa000007", 7n],
    ["ff0000000000000001", 1n],
  ])("is also accepted in a longer form: %s", (hex, value) => {
    expect(decode(hex)).toEqual({ value, length: hex.length / 2 });
    expect(memcmpVarintLength(low(value), high(value))).toBeLessThan(hex.length / 2);
  });
});

describe("a delta key", () => {
  const key = fc.record({ row: fc.nat(0xffffffff), timestamp: anyU64 });

  it("of row and timestamp compares as bytes in REDO order", () => {
    fc.assert(
      fc.property(key, key, (left, right) => {
        const bytes = Math.sign(Buffer.compare(encodeDeltaKey(left), encodeDeltaKey(right)));
        expect(Math.sign(compareDeltaKeys("redo", left, right))).toBe(bytes);
        expect(decodeDeltaKey(encodeDeltaKey(left))).toMatchObject({ ...left, canonical: true });
      }),
      { seed: 2 },
    );
  });

  it("orders UNDO files by row, then newest first", () => {
    const at = (row: number, timestamp: bigint) => ({ row, timestamp });
    const keys = [at(1, 5n), at(0, 3n), at(0, 9n), at(1, 6n)];
    expect(keys.sort((a, b) => compareDeltaKeys("undo", a, b))).toEqual([
      at(0, 9n),
      at(0, 3n),
      at(1, 6n),
      at(1, 5n),
    ]);
    expect(compareDeltaKeys("undo", at(1, 5n), at(1, 5n))).toBe(0);
  });

  it("recognizes keys that are longer than necessary", () => {
    expect(decodeDeltaKey(fromHex("fa00000700"))).toEqual({
      row: 7,
      timestamp: 0n,
      length: 5,
      canonical: false,
    });
    expect(decodeDeltaKey(fromHex("07fa000000"))).toMatchObject({ row: 7, canonical: false });
  });

  it.each([
    ["", "E_TRUNCATED", "row"],
    ["f1", "E_TRUNCATED", "row"],
    ["07", "E_TRUNCATED", "timestamp"],
    ["07ff", "E_TRUNCATED", "timestamp"],
    ["fc010000000000", "E_CORRUPT", "row"],
    ["ffffffffffffffffff00", "E_CORRUPT", "row"],
  ])("%s is rejected: %s", (hex, code, field) => {
    expect(() => decodeDeltaKey(fromHex(hex))).toThrow(expect.objectContaining({ code, field }));
  });

  it.each([
    [{ row: -1, timestamp: 0n }],
    [{ row: 2 ** 32, timestamp: 0n }],
    [{ row: 1.5, timestamp: 0n }],
    [{ row: 0, timestamp: -1n }],
    [{ row: 0, timestamp: 2n ** 64n }],
  ])("cannot be encoded from %o", (bad) => {
    expect(() => encodeDeltaKey(bad)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});
