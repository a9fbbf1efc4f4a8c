/** The possible codecs of a page, by its first bytes. */
import { brotliCompressSync, constants } from "node:zlib";
import { randomNumbers } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { PageCodecs } from "../src/pages/page-codecs.js";
import type { PageHeader } from "../src/pages/page-header.js";

const header = (uncompressedSize: number, storedSize: number): PageHeader => ({
  ...{ kind: "data-v1", uncompressedSize, storedSize, crc: undefined, valueCount: 1, encoding: "PLAIN" },
  ...{ definitionEncoding: "RLE", repetitionEncoding: "RLE", rowCount: undefined, nullCount: undefined },
  ...{ definitionBytes: 0, repetitionBytes: 0, isCompressed: true },
});

it("includes Brotli for Brotli streams of the stated size, and for few other bytes", () => {
  const random = randomNumbers(5);
  const codecs = new PageCodecs(undefined);
  let accidents = 0;
  for (let i = 0; i < 150; i++) {
    const size = 1 + random(i % 10 === 0 ? 200_000 : 2000);
    const plain = Uint8Array.from({ length: size }, () => (i % 2 === 0 ? random(256) : random(3)));
    const stored = brotliCompressSync(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: i % 7,
        [constants.BROTLI_PARAM_LGWIN]: 10 + (i % 15),
      },
    });
    expect(codecs.candidates(header(size, stored.length), stored)).toContain("BROTLI");
    const other = Uint8Array.from({ length: 200 }, () => random(256));
    accidents += codecs.candidates(header(200, 200), other).includes("BROTLI") ? 1 : 0;
  }
  expect(accidents).toBeLessThan(15);
});
