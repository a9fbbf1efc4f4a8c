import { readFileSync } from "node:fs";
import { isCFileError } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zstdDecompress } from "../src/zstd/zstd-frame.js";

/** Streams of the `zstd` command and library: name, kind and length of the content, base64. */
const streams: [string, string, number, string][] = JSON.parse(
  readFileSync(new URL("zstd-streams.json", import.meta.url), "utf8"),
);

const TEXT = "row-0000 family qualifier ";

/** The content of a stream. The streams were compressed from these numbers, so the generator cannot change. */
function content(kind: string, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let state = 12345;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const random = state >>> 16;
    if (kind === "noise") {
      out[i] = random & 255;
    } else if (kind === "skewed") {
      out[i] = Math.min(random & 31, (random >>> 5) & 31, (random >>> 10) & 31) + 97;
    } else if (kind === "text") {
      out[i] = TEXT.charCodeAt((i + (i >>> 7) * ((random & 63) === 0 ? 3 : 0)) % 26);
    }
  }
  return out;
}

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

describe("Zstandard frames", () => {
  it.each(streams)("%s", (_, kind, length, base64) => {
    const output = new Uint8Array(length + 5);
    expect(zstdDecompress(bytesOf(base64), output)).toBe(length);
    expect(Buffer.compare(output.subarray(0, length), content(kind, length))).toBe(0);
    if (length > 0) {
      expect(() => zstdDecompress(bytesOf(base64), output.subarray(0, length - 1))).toThrow(
        expect.objectContaining({ code: "E_CORRUPT" }),
      );
    }
  });

  it("decompress one after the other, with skippable frames between", () => {
    const [a, b] = [bytesOf(streams[2]?.[3] ?? ""), bytesOf(streams[0]?.[3] ?? "")];
    const skipped = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9);
    const output = new Uint8Array(500);
    expect(zstdDecompress(new Uint8Array([...a, ...skipped, ...b]), output)).toBe(500);
    expect(output).toEqual(new Uint8Array([...content("skewed", 200), ...content("noise", 300)]));
  });

  it("of 18 bytes that claim 98,047 matches of 65,539 bytes are rejected at once", () => {
    const literals = [0x00];
    const sequences = [0xff, 0xff, 0xff]; // 0x7f00 + 0xffff of them
    const singleCodes = [0x54, 0, 0, 52]; // no literals, distance code 0, the longest match code
    const block = [...literals, ...sequences, ...singleCodes, 0x01];
    const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, (block.length << 3) | 5, 0, 0, ...block];
    const start = performance.now();
    expect(() => zstdDecompress(Uint8Array.from(frame), new Uint8Array(100))).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED", field: "Zstandard bit stream" }),
    );
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it.each([
    ["bytes after no sequences", [0x00, 0x00, 0x01]],
    ["reserved bits in the modes", [0x00, 0x01, 0x55, 0, 0, 0, 0x01]],
    ["a code that does not exist", [0x00, 0x01, 0x54, 200, 0, 0, 0x01]],
    ["a repeated table without one before", [0x00, 0x01, 0xfc, 0x01]],
    ["no bit stream", [0x00, 0x01, 0x54, 0, 0, 0]],
    ["a bit stream without an end mark", [0x00, 0x01, 0x54, 0, 0, 0, 0x00]],
    ["bits that are left", [0x00, 0x01, 0x54, 0, 0, 0, 0xff, 0xff]],
  ])("with %s are rejected", (_, block) => {
    const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 100, (block.length << 3) | 5, 0, 0, ...block];
    expect(() => zstdDecompress(Uint8Array.from(frame), new Uint8Array(100))).toThrow(
      expect.objectContaining({ name: "CFileError" }),
    );
  });

  it("that are truncated or have flipped bits soon yield errors or other content", () => {
    const tried = streams.filter(([, , length]) => length < 10_000);
    fc.assert(
      fc.property(
        fc.constantFrom(...tried),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 4 }),
        fc.nat(),
        ([, , length, base64], flips, cut) => {
          const bytes = bytesOf(base64);
          for (const [at, xor] of flips) {
            bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ xor;
          }
          const input = flips.length > 0 ? bytes : bytes.subarray(0, cut % bytes.length);
          try {
            expect(zstdDecompress(input, new Uint8Array(length))).toBeLessThanOrEqual(length);
          } catch (error) {
            if (!isCFileError(error)) {
              throw error;
            }
          }
        },
      ),
      { numRuns: 1500, seed: 3 },
    );
  });
});

it("a first block that repeats the tables of the block before is refused", () => {
  // One segment of 4 bytes; a block of 5 bytes: a literal, one sequence, and the mode "repeat" for its literal lengths.
  const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x2d, 0, 0, 0x08, 0x61, 1, 0xc0, 1);
  expect(() => zstdDecompress(frame, new Uint8Array(4))).toThrow(
    expect.objectContaining({ code: "E_CORRUPT" }),
  );
});
