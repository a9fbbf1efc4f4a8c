import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { chooseDecoders } from "../src/decode.js";
import { chooseKernels } from "../src/encode.js";
import { portableDecoders } from "../src/index.js";
import { nativeChecksums, withNativeChecksum, withNativeCrc32 } from "../src/native-checksum.js";
import { choosePageKernels } from "../src/pages.js";
import { crcBitwise } from "./references.js";

describe("the native CRC-32", () => {
  test.each([0, 1023, 1024, 70_001])(
    "of %i bytes matches that of the other kernels, also of shared memory",
    (length) => {
      const bytes = new Uint8Array(new SharedArrayBuffer(length + 3)).map((_, i) => (i * 151) ^ (i >> 7));
      const input = bytes.subarray(3);
      const expected = choosePageKernels("portable").crc32(input);
      expect(choosePageKernels().crc32(input) >>> 0).toBe(expected >>> 0);
      expect(choosePageKernels("simd").crc32(input) >>> 0).toBe(expected >>> 0);
    },
  );

  test.each([
    ["auto", undefined],
    ["simd", "simd"],
    ["portable", "portable"],
  ] as const)("continues from the checksum of the preceding bytes: %s", (_, choice) => {
    const { crc32 } = choosePageKernels(choice);
    const bytes = Uint8Array.from({ length: 9000 }, (_, i) => (i * 151) ^ (i >> 7));
    for (const middle of [0, 1, 500, 1024, 5000, 8999, 9000]) {
      const before = crc32(bytes.subarray(0, middle)) >>> 0;
      expect(crc32(bytes.subarray(middle), before) >>> 0).toBe(crc32(bytes) >>> 0);
    }
  });

  test("is that of the package where it is installed, which is found out once", () => {
    const load = vi.fn(() => ({ crc32: () => 42 }));
    const { crc32 } = withNativeCrc32(choosePageKernels("portable"), load);
    expect(crc32(new Uint8Array(100))).toBe(choosePageKernels("portable").crc32(new Uint8Array(100)));
    expect(load).not.toHaveBeenCalled();
    expect([crc32(new Uint8Array(5000)), crc32(new Uint8Array(6000))]).toEqual([42, 42]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("is that of node:zlib where the package is missing", () => {
    const load = vi.fn(() => false as const);
    const { crc32 } = withNativeCrc32(choosePageKernels("portable"), load);
    const input = new Uint8Array(5000).fill(9);
    const expected = choosePageKernels("portable").crc32(input);
    expect([crc32(input) >>> 0, crc32(input) >>> 0]).toEqual([expected >>> 0, expected >>> 0]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("is only in auto", () => {
    expect(choosePageKernels("simd").crc32).not.toBe(choosePageKernels().crc32);
  });
});

describe("the native checksum", () => {
  test("is installed here, so that the tests of all packages use it", () => {
    const { crc32, crc32c } = nativeChecksums() || {};
    expect(crc32c?.(Buffer.from("123456789"))).toBe(0xe3069283);
    expect(crc32?.(Buffer.from("123456789"))).toBe(0xcbf43926);
  });

  test.each([
    ["decoders", chooseDecoders()],
    ["kernels", chooseKernels()],
  ])("matches bitwise division in the %s, at every alignment and length", (_, { crc32c }) => {
    const length = fc.oneof(fc.integer({ min: 1010, max: 1040 }), fc.integer({ min: 0, max: 20_000 }));
    fc.assert(
      fc.property(length, fc.nat(20), fc.nat(), (bytes, start, seed) => {
        const input = Uint8Array.from(
          { length: start + bytes + 5 },
          (_, i) => Math.imul(i + seed, 2654435761) >>> 23,
        );
        expect(crc32c(input, start, start + bytes)).toBe(crcBitwise(input.subarray(start, start + bytes)));
      }),
      { seed: 7 },
    );
  });

  test("accepts shared memory", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(10_000)).fill(3);
    expect(chooseDecoders().crc32c(shared, 1, 9_999)).toBe(crcBitwise(shared.subarray(1, 9_999)));
  });

  test("is loaded once, at the first long input", () => {
    const load = vi.fn(() => ({ crc32c: () => 42 }));
    const { crc32c } = withNativeChecksum(portableDecoders, load);
    expect(crc32c(new Uint8Array(100), 0, 100)).toBe(crcBitwise(new Uint8Array(100)));
    expect(load).not.toHaveBeenCalled();
    expect([crc32c(new Uint8Array(5000), 0, 5000), crc32c(new Uint8Array(6000), 0, 6000)]).toEqual([42, 42]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("is replaced by the other kernels where it is missing, which is found out once", () => {
    const load = vi.fn(() => false as const);
    const { crc32c } = withNativeChecksum(portableDecoders, load);
    const input = new Uint8Array(5000).fill(9);
    expect([crc32c(input, 0, 5000), crc32c(input, 1, 5000)]).toEqual([
      crcBitwise(input),
      crcBitwise(input.subarray(1)),
    ]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("leaves the choices portable and simd without it", () => {
    expect(chooseDecoders("portable")).toBe(portableDecoders);
    expect(chooseDecoders("simd").crc32c).not.toBe(chooseDecoders("auto").crc32c);
  });
});
