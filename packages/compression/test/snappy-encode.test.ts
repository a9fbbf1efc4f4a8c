import { toHex } from "@cfile/bytes";
import type { Compress } from "@cfile/kernels";
import { chooseKernels } from "@cfile/kernels/encode";
import fc from "fast-check";
import { uncompress as snappyjsUncompress } from "snappyjs";
import { describe, expect, it } from "vitest";
import { snappyCodec, snappyCompress, snappyCompressFast, snappyDecompress } from "../src/codecs.js";
import { goldenBlocks } from "./golden-blocks.js";
import { sample, sampleKinds } from "./sample-bytes.js";
import { snappyElements } from "./snappy-elements.js";

const FRAGMENT = 65536;

const goldenFiles = [
  "comp_snappy_binary_prefix",
  "comp_snappy_binary_prefix_null",
  "comp_snappy_incompressible",
  "comp_snappy_int16_rle",
  "comp_snappy_int16_rle_null",
  "comp_snappy_int32_plain",
  "comp_snappy_int32_plain_null",
  "comp_snappy_int64_bshuf",
  "comp_snappy_int64_bshuf_null",
  "comp_snappy_string_dict",
  "comp_snappy_string_dict_null",
  "comp_snappy_string_plain",
  "comp_snappy_string_plain_null",
  "dict_overflow_4",
  "large_string_plain_snappy_null",
];

const kernels = chooseKernels();
const variants: [string, Compress, Compress][] = [
  ["Snappy compression", snappyCompress, kernels.snappyCompress(snappyCompress)],
  ["fast Snappy compression", snappyCompressFast, kernels.snappyCompressFast(snappyCompressFast)],
];

/** Compresses, checks the stream against the rules of the format, and decompresses by two decoders. */
function checkedStream(input: Uint8Array, compress: Compress = snappyCompress): Uint8Array {
  const stream = compress(input);
  const { length, elements } = snappyElements(stream);
  expect(length).toBe(input.length);
  let position = 0;
  for (const { kind, start, length, distance } of elements) {
    const fragment = start - (start % FRAGMENT);
    const valid =
      start === position &&
      start + length <= fragment + FRAGMENT &&
      kind !== "copy4" &&
      (kind === "literals" || (distance >= 1 && start - distance >= fragment));
    if (!valid) {
      expect.fail(`${kind} of ${length} bytes at ${start}, distance ${distance}`);
    }
    position += length;
  }
  expect(position).toBe(input.length);
  const output = new Uint8Array(input.length);
  snappyDecompress(stream, output);
  expect(Buffer.compare(output, input)).toBe(0);
  expect(Buffer.compare(snappyjsUncompress(stream), input)).toBe(0);
  return stream;
}

describe.each(variants)("%s", (_, portable, simd) => {
  const check = (input: Uint8Array): void => {
    expect(Buffer.compare(simd(input), checkedStream(input, portable))).toBe(0);
  };

  it.each(sampleKinds)("of %s follows the rules of the format at any length, as the kernel does", (kind) => {
    const lengths = [...Array(70).keys(), 255, 256, 257, 1000, 8192, 30000];
    for (const length of [...lengths, 65535, 65536, 65537, 65550, 65551, 65552, 131071, 131072, 200000]) {
      check(sample(kind, length));
    }
  });

  it("of arbitrary bytes follows the rules of the format, as the kernel does", () => {
    const bytes = fc
      .tuple(fc.uint8Array({ maxLength: 500, size: "max" }), fc.constantFrom(1, 3, 0x81, 255))
      .map(([noise, mask]) => noise.map((byte) => byte & mask));
    fc.assert(fc.property(bytes, check), { numRuns: 1000, seed: 7 });
  });

  it.each([
    ["64-bit integers", (i: number) => BigInt(i) * 1000n + BigInt(i % 7), 0.64],
    ["64-bit integers, half of them equal to the previous one", (i: number) => BigInt(i >> 1) << 20n, 0.4],
    ["equal 64-bit integers", () => 0x0102030405060708n, 0.06],
  ])("of %s, which match at the same distance, saves space", (_, valueAt, wanted) => {
    const values = BigInt64Array.from({ length: 20_000 }, (_value, i) => valueAt(i));
    const input = new Uint8Array(values.buffer);
    check(input);
    expect(portable(input).length / input.length).toBeLessThan(wanted);
  });
});

describe("Snappy compression like Snappy 1.1.9", () => {
  it.each([
    ["no bytes", new Uint8Array(0), "00"],
    ["one byte", Uint8Array.of(0x61), "010061"],
    ["14 equal bytes, too few for a match", new Uint8Array(14), `0e34${"00".repeat(14)}`],
    // 1 literal, then 99 bytes at distance 1: 64 and 35.
    ["100 zeros", new Uint8Array(100), "640000" + "fe0100" + "8a0100"],
    // 1 literal, then 65 bytes: 60 and 5, since no part may be shorter than 4.
    ["66 zeros", new Uint8Array(66), "420000" + "ee0100" + "0501"],
  ])("of %s matches Google's", (_, input, hex) => {
    expect(toHex(checkedStream(input))).toBe(hex);
  });

  it.each(goldenFiles)("reproduces the blocks of %s, which Kudu wrote with Snappy 1.1.9", (name) => {
    for (const { stored, size, raw } of goldenBlocks(name, snappyCodec)) {
      const content = raw ? stored : new Uint8Array(size);
      if (raw) {
        expect(checkedStream(content).length).toBeGreaterThan(0.9 * size);
      } else {
        snappyDecompress(stored, content);
        expect(Buffer.compare(checkedStream(content), stored)).toBe(0);
      }
    }
  });

  it.each([
    [10, 2047, "copy1"],
    [10, 2048, "copy2"],
    [12, 2047, "copy2"],
    [12, 60000, "copy2"],
  ])("encodes a match of %d bytes at distance %d as %s", (length, distance, kind) => {
    const input = new Uint8Array(distance + 100);
    input.set(sample("noise", 60).map((byte) => byte | 1));
    input.copyWithin(20 + distance, 20, 20 + length);
    const { elements } = snappyElements(checkedStream(input));
    expect(elements).toContainEqual({ kind, start: 20 + distance, length, distance });
  });

  it("compresses each fragment independently", () => {
    const fragment = sample("mixed", FRAGMENT);
    const twice = new Uint8Array(2 * FRAGMENT);
    twice.set(fragment);
    twice.set(fragment, FRAGMENT);
    const once = snappyCompress(fragment).subarray(3);
    expect(Buffer.compare(checkedStream(twice).subarray(3), Buffer.concat([once, once]))).toBe(0);
  });
});
