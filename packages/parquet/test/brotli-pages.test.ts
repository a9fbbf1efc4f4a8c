import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { loadBrotli, loadPageExpander } from "../src/pages/page-codec.js";

const plain = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >>> 5);
const stored = Uint8Array.from(brotliCompressSync(plain));
const bomb = Uint8Array.from(brotliCompressSync(new Uint8Array(1 << 28), { params: {} }));
const library = (await import("brotli/decompress")).decompress;
const decoders = [
  ["node:zlib", await loadBrotli(brotliDecompressSync)],
  ["the library for other places", library],
] as const;

describe.each(decoders)("Brotli pages, expanded by %s,", (_, decode) => {
  const expander = loadPageExpander("BROTLI", { BROTLI: decode });

  test("are the bytes that were compressed", async () => {
    expect((await expander)(stored, plain.length)).toEqual(plain);
  });

  test.each([0, 1, 4999, 5001, 100_000])("are refused if the header states %i bytes", async (size) => {
    const expand = await expander;
    expect(() => expand(stored, size)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
  });

  test("are refused if they are cut, or other bytes", async () => {
    const expand = await expander;
    for (const bytes of [stored.subarray(0, stored.length >> 1), stored.subarray(0, 0), plain]) {
      expect(() => expand(bytes, plain.length)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    }
  });
});

test("Node stops at the stated size", async () => {
  const expand = await loadPageExpander("BROTLI");
  const before = process.memoryUsage().arrayBuffers;
  expect(() => expand(bomb, 100)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 24);
});
