/** Pages that do not expand to the size in their header, by codec. */
import { gzipSync } from "node:zlib";
import { concatBytes } from "@cfile/bytes";
import type { CompressionCodec } from "hyparquet";
import { describe, expect, it } from "vitest";
import { loadPageExpander } from "../src/pages/page-codec.js";
import { loadZstd, statedSize } from "../src/pages/zstd-module.js";

const plain = Uint8Array.from({ length: 3000 }, (_, i) => i % 7);
const gzip = Uint8Array.from(gzipSync(plain));

async function expanded(codec: CompressionCodec, bytes: Uint8Array, size: number): Promise<Uint8Array> {
  return (await loadPageExpander(codec))(bytes, size);
}

describe("gzip members", () => {
  it("are expanded one after the other", async () => {
    const both = await expanded("GZIP", concatBytes([gzip, gzip]), 2 * plain.length);
    expect(both).toEqual(concatBytes([plain, plain]));
  });

  it.each([
    ["cut", gzip.subarray(0, 20), plain.length, "E_TRUNCATED"],
    ["empty", gzip.subarray(0, 0), plain.length, "E_TRUNCATED"],
    ["longer than stated", gzip, plain.length - 1, "E_CORRUPT"],
    ["shorter than stated", gzip, plain.length + 1, "E_CORRUPT"],
    ["followed by other bytes", concatBytes([gzip, plain]), plain.length, "E_CORRUPT"],
  ])("are refused if they are %s", async (_, bytes, size, code) => {
    await expect(expanded("GZIP", bytes, size)).rejects.toMatchObject({ code, field: "gzip member" });
  });
});

it.each(["LZO", "UNKNOWN"])("a page of the codec %s is refused", async (codec) => {
  await expect(expanded(codec as CompressionCodec, plain, 10)).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    field: "codec",
    actual: codec,
  });
});

describe("Zstandard", () => {
  it("frames state their size, in as many bytes as it needs", async () => {
    const zstd = await loadZstd();
    for (const size of [0, 1, 255, 256, 1000, 65_791, 65_792, 3_000_000]) {
      expect(statedSize(zstd.compress(new Uint8Array(size)))).toBe(size);
    }
    // Magic number, flags for eight bytes and for a dictionary ID of four, window, ID, size.
    const head = [0x28, 0xb5, 0x2f, 0xfd, 0xc3, 0, 1, 2, 3, 4];
    expect(statedSize(Uint8Array.of(...head, 5, 0, 0, 0, 1, 0, 0, 0))).toBe(2 ** 32 + 5);
    expect(statedSize(Uint8Array.of(...head, 5, 0, 0))).toBeUndefined();
    expect(statedSize(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 1, 0))).toBeUndefined();
    expect(statedSize(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfe, 0x20, 7))).toBeUndefined();
    expect(statedSize(Uint8Array.of(0x28, 0xb5))).toBeUndefined();
  });
});
