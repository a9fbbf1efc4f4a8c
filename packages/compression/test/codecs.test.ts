import { toHex } from "@cfile/bytes";
import { chooseDecoders } from "@cfile/kernels/decode";
import { describe, expect, it } from "vitest";
import { builtinCodecs, lz4Codec, snappyCodec, zlibCodec } from "../src/codecs.js";
import { COMPRESSION_TYPES, compressionTypeFromId } from "../src/index.js";
import { loadExpander } from "../src/load-expander.js";
import { lz4jsCodec } from "../src/lz4js.js";
import { sample, sampleKinds } from "./sample-bytes.js";

describe("compression types", () => {
  it("have their numbers in the footer", () => {
    expect(COMPRESSION_TYPES).toEqual({ NO_COMPRESSION: 1, SNAPPY: 2, LZ4: 3, ZLIB: 4 });
    for (const [type, id] of Object.entries(COMPRESSION_TYPES)) {
      expect(compressionTypeFromId(id)).toBe(type);
    }
  });

  it.each([0, 5, 999, -1, 1.5, Number.NaN])("number %d has no codec", (id) => {
    expect(compressionTypeFromId(id)).toBeUndefined();
  });
});

describe.each([lz4Codec, snappyCodec, zlibCodec, lz4jsCodec])("codec $type", (codec) => {
  it.each(sampleKinds)("does not modify its input and returns its own memory: %s", (kind) => {
    for (const length of [0, 1, 100, 9000]) {
      const input = sample(kind, length);
      const before = toHex(input);
      const stream = codec.compress(input);
      expect(stream.buffer).not.toBe(input.buffer);
      const kept = stream.slice();
      codec.compress(sample("noise", 9000));
      expect(Buffer.compare(stream, kept)).toBe(0);
      const output = new Uint8Array(length);
      codec.decompress(stream, output);
      expect(Buffer.compare(output, input)).toBe(0);
      expect(Buffer.compare(stream, kept)).toBe(0);
      expect(toHex(input)).toBe(before);
    }
  });

  it("accepts parts of larger arrays", () => {
    const input = sample("text", 3000);
    const stream = codec.compress(input.subarray(100, 2100));
    const larger = new Uint8Array(stream.length + 50).fill(0xee);
    larger.set(stream, 17);
    const output = new Uint8Array(2050).fill(0xee);
    codec.decompress(larger.subarray(17, 17 + stream.length), output.subarray(25, 2025));
    expect(toHex(output.subarray(25, 2025))).toBe(toHex(input.subarray(100, 2100)));
    expect(toHex(output.subarray(0, 25)) + toHex(output.subarray(2025))).toBe("ee".repeat(50));
  });
});

describe("the built-in codecs", () => {
  it("cover each compression type", () => {
    expect(builtinCodecs).toEqual({ LZ4: lz4Codec, SNAPPY: snappyCodec, ZLIB: zlibCodec });
    for (const [type, codec] of Object.entries(builtinCodecs)) {
      expect(codec.type).toBe(type);
    }
  });
});

describe.each([
  ["portable", undefined],
  ["with kernels", chooseDecoders()],
])("an expander, %s", (_, kernels) => {
  it.each(Object.values(builtinCodecs))("of $type decompresses the codec's output", async (codec) => {
    const expander = await loadExpander(codec.type, kernels);
    const input = sample("text", 30_000);
    const stream = codec.compress(input);
    const output = new Uint8Array(input.length);
    expander.decompress(stream, output);
    expect(expander.type).toBe(codec.type);
    expect(Buffer.compare(output, input)).toBe(0);
    expect(() => expander.decompress(stream.subarray(0, -3), output)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^E_(TRUNCATED|CORRUPT)$/) }),
    );
  });
});
