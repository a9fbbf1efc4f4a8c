import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gzipCompress, gzipDecompress } from "../src/codecs.js";

describe("a gzip member", () => {
  it("is interchangeable with zlib's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (input) => {
        expect(new Uint8Array(gunzipSync(gzipCompress(input)))).toEqual(input);
        const output = new Uint8Array(input.length);
        gzipDecompress(gzipSync(input), output);
        expect(output).toEqual(input);
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  const input = new TextEncoder().encode("one two three one two three one two three");
  const member = gzipCompress(input);

  it("has the same header as Java's", () => {
    expect([...member.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]);
  });

  it("truncated anywhere is E_TRUNCATED", () => {
    for (let length = 0; length < member.length; length++) {
      expect(() => gzipDecompress(member.subarray(0, length), new Uint8Array(input.length))).toThrow(
        expect.objectContaining({ code: "E_TRUNCATED", field: "gzip member" }),
      );
    }
  });

  it("of a different length or followed by more bytes is corrupt", () => {
    for (const size of [0, input.length - 1, input.length + 1]) {
      expect(() => gzipDecompress(member, new Uint8Array(size))).toThrow(
        expect.objectContaining({ code: "E_CORRUPT" }),
      );
    }
    expect(() => gzipDecompress(Uint8Array.of(...member, 0), new Uint8Array(input.length))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });

  it("with any bit flipped is an error or the same content", () => {
    for (let bit = 0; bit < 8 * member.length; bit++) {
      const damaged = member.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      const output = new Uint8Array(input.length);
      try {
        gzipDecompress(damaged, output);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^E_(CORRUPT|TRUNCATED)$/) });
        continue;
      }
      // Time, system and other flags of the header do not affect the content.
      expect(output).toEqual(input);
    }
  });
});
