import { createHash } from "node:crypto";
import { fromHex, toHex } from "@cfile/bytes";
import { readGoldenJson } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lz4Codec } from "../src/codecs.js";
import { checkLz4Block, lz4DecompressBlock } from "../src/lz4.js";
import { lz4Compress, lz4CompressBlock, lz4CompressBound } from "../src/lz4-encode.js";
import { lz4jsCodec } from "../src/lz4js.js";
import { goldenBlocks } from "./golden-blocks.js";
import { appendixA } from "./literal-lz4.js";
import { sample, sampleKinds } from "./sample-bytes.js";

interface BitshuffleVector {
  readonly elem_size: number;
  readonly padded_count: number;
  readonly default_block_elems: number;
  readonly kind: string;
  readonly compressed: string;
  readonly transposed?: string;
  readonly transposed_sha256?: string;
}

const bitshuffleVectors = readGoldenJson("blocks/bitshuffle.json") as readonly BitshuffleVector[];

const GOLDEN_FILES = [
  "adhoc_index",
  "array_big_bool_lz4",
  "array_big_double_lz4",
  "array_big_int64_lz4",
  "array_big_string_lz4",
  "comp_lz4_binary_prefix",
  "comp_lz4_indexes",
  "comp_lz4_int16_rle_null",
  "comp_lz4_int32_plain",
  "comp_lz4_int64_bshuf",
  "comp_lz4_nochecksum",
  "comp_lz4_string_dict",
  "comp_lz4_string_plain_null",
  "large_int64_plain_lz4_null",
  "string_1mb_plain_lz4",
];

function decompressed(block: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  lz4Codec.decompress(block, output);
  return output;
}

describe("LZ4 compression", () => {
  it.each([
    ["abc x 8", new TextEncoder().encode("abc".repeat(8)), "3c6162630300506263616263"],
    ["32 zeros", new Uint8Array(32), "1f000100075000" + "00000000"],
    ["no bytes", new Uint8Array(0), "00"],
    ["12 bytes, too few for a match", new Uint8Array(12), `c0${"00".repeat(12)}`],
    [
      "INT32 plain 7 x 16",
      fromHex(`1000000000000000${"07000000".repeat(16)}`),
      "22100001001f0704002750000700" + "0000",
    ],
  ])("of %s matches the specification byte for byte", (_, input, hex) => {
    expect(toHex(lz4Compress(input))).toBe(hex);
    expect(toHex(decompressed(fromHex(hex), input.length))).toBe(toHex(input));
  });

  it("reproduces and decompresses the chunks of Kudu's bitshuffle", () => {
    let chunks = 0;
    for (const vector of bitshuffleVectors) {
      const stream = fromHex(vector.compressed);
      const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
      const chunkSize = vector.elem_size * vector.default_block_elems;
      const transposed = new Uint8Array(vector.elem_size * vector.padded_count);
      let at = 0;
      for (let to = 0; to < transposed.length; to += chunkSize, chunks++) {
        const end = at + 4 + view.getUint32(at);
        const chunk = transposed.subarray(to, Math.min(to + chunkSize, transposed.length));
        lz4DecompressBlock(stream, at + 4, end, chunk);
        expect(toHex(lz4Compress(chunk))).toBe(toHex(stream.subarray(at + 4, end)));
        at = end;
      }
      expect(at).toBe(stream.length);
      if (vector.transposed === undefined) {
        expect(createHash("sha256").update(transposed).digest("hex")).toBe(vector.transposed_sha256);
      } else {
        expect(toHex(transposed)).toBe(vector.transposed);
      }
    }
    expect(chunks).toBeGreaterThan(80);
  });

  it.each(GOLDEN_FILES)("reproduces and decompresses the blocks of %s", (name) => {
    for (const { stored, size, raw } of goldenBlocks(name, lz4Codec)) {
      const content = raw ? stored : decompressed(stored, size);
      if (raw) {
        expect(lz4Compress(content).length).toBeGreaterThan(0.9 * size);
      } else {
        expect(Buffer.compare(lz4Compress(content), stored)).toBe(0);
        expect(checkLz4Block(stored, 0, stored.length, size)).toEqual({ endRulesHold: true });
        const byLz4js = new Uint8Array(size);
        lz4jsCodec.decompress(stored, byLz4js);
        expect(Buffer.compare(byLz4js, content)).toBe(0);
      }
    }
  });

  it("is compared with Kudu's in both modes", () => {
    const sizes = GOLDEN_FILES.flatMap((name) => goldenBlocks(name, lz4Codec))
      .filter(({ raw }) => !raw)
      .map(({ size }) => size);
    expect(sizes.filter((size) => size < 65547).length).toBeGreaterThan(50);
    expect(sizes.filter((size) => size >= 65547).length).toBeGreaterThan(1);
  });

  it.each(sampleKinds)("of %s follows Appendix A at any length", (kind) => {
    const lengths = [...Array(70).keys(), 255, 256, 269, 270, 271, 272, 4095, 8192, 8193, 30000];
    const atTheModes = [65534, 65535, 65536, 65545, 65546, 65547, 65548, 70001, 131072, 200000];
    for (const length of [...lengths, ...atTheModes]) {
      const input = sample(kind, length);
      const block = lz4Compress(input);
      expect(Buffer.compare(block, appendixA(input)), `${length} bytes`).toBe(0);
      expect(block.length).toBeLessThanOrEqual(lz4CompressBound(length));
      expect(checkLz4Block(block, 0, block.length, length)).toEqual({ endRulesHold: true });
      const byLz4js = new Uint8Array(length);
      lz4jsCodec.decompress(block, byLz4js);
      expect(Buffer.compare(byLz4js, input)).toBe(0);
      expect(Buffer.compare(decompressed(block, length), input)).toBe(0);
    }
  });

  it("follows Appendix A and the end rules for arbitrary bytes", () => {
    const bytes = fc
      .tuple(fc.uint8Array({ maxLength: 400, size: "max" }), fc.constantFrom(1, 3, 0x81, 255))
      .map(([noise, mask]) => noise.map((byte) => byte & mask));
    fc.assert(
      fc.property(bytes, (input) => {
        const block = lz4Compress(input);
        expect(toHex(block)).toBe(toHex(appendixA(input)));
        expect(checkLz4Block(block, 0, block.length, input.length).endRulesHold).toBe(true);
        expect(toHex(decompressed(block, input.length))).toBe(toHex(input));
      }),
      { numRuns: 1500, seed: 1 },
    );
  });

  it("finds matches up to 65535 bytes back and none beyond", () => {
    // Between the two stretches of noise is one long match, which does not change the table.
    const lengthFor = (distance: number): number => {
      const input = new Uint8Array(70000);
      input.set(sample("noise", 200));
      input.copyWithin(50 + distance, 50, 150);
      const block = lz4Compress(input);
      expect(Buffer.compare(block, appendixA(input))).toBe(0);
      expect(Buffer.compare(decompressed(block, input.length), input)).toBe(0);
      return block.length;
    };
    expect(lengthFor(65534)).toBe(lengthFor(65535));
    expect(lengthFor(65536)).toBeGreaterThan(lengthFor(65535) + 50);
  });

  it("does not depend on the offset of the input or on earlier input", () => {
    const input = sample("mixed", 70000);
    const expected = toHex(lz4Compress(input));
    lz4Compress(sample("text", 3000));
    const larger = new Uint8Array(input.length + 21).fill(input[0] ?? 0);
    larger.set(input, 13);
    const output = new Uint8Array(5 + lz4CompressBound(input.length)).fill(0x5a);
    const length = lz4CompressBlock(larger.subarray(2), 11, 11 + input.length, output, 5);
    expect(toHex(output.subarray(5, 5 + length))).toBe(expected);
    expect(toHex(output.subarray(0, 5))).toBe("5a5a5a5a5a");
    expect(toHex(lz4jsCodec.compress(input))).toBe(expected);
  });

  it.each([
    ["a negative start", -1, 8, 0],
    ["an end before the start", 5, 4, 0],
    ["an end outside the input", 0, 101, 0],
    ["a start that is no number", Number.NaN, 8, 0],
    ["a negative output start", 0, 8, -1],
    ["too little room", 0, 100, 101],
  ])("rejects %s", (_, start, end, outputStart) => {
    const output = new Uint8Array(100 + lz4CompressBound(100));
    expect(() => lz4CompressBlock(new Uint8Array(100), start, end, output, outputStart)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });
});
