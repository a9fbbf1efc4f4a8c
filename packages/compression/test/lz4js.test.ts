import { toHex } from "@cfile/bytes";
import { build } from "esbuild";
import { compressBlock } from "lz4js";
import { describe, expect, it } from "vitest";
import { lz4Codec } from "../src/codecs.js";
import { checkLz4Block } from "../src/lz4.js";
import { lz4jsCodec } from "../src/lz4js.js";
import { sample } from "./sample-bytes.js";

const entry = (file: string): string => new URL(`../src/${file}`, import.meta.url).pathname;

async function bundled(entryPoint: string): Promise<string[]> {
  const result = await build({
    entryPoints: [entryPoint],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return Object.keys(result.metafile.inputs);
}

describe("@cfile/compression/lz4js", () => {
  it("compresses with this package's compressor, whose blocks follow the end rules", () => {
    const input = sample("mixed", 5000);
    expect(toHex(lz4jsCodec.compress(input))).toBe(toHex(lz4Codec.compress(input)));
    expect(lz4jsCodec.type).toBe("LZ4");
  });

  it("does not compress with lz4js, which breaks the end rules in at least one of ten blocks", () => {
    let blocks = 0;
    let broken = 0;
    const output = new Uint8Array(20000);
    for (let length = 13; length <= 8192; length += 13) {
      const input = sample(length % 2 ? "sparse" : "narrow", length);
      const written = compressBlock(input, output, 0, length, new Uint32Array(1 << 16));
      if (written > 0) {
        const block = output.subarray(0, written);
        blocks++;
        broken += checkLz4Block(block, 0, written, length).endRulesHold ? 0 : 1;
        const back = new Uint8Array(length);
        lz4Codec.decompress(block, back);
        expect(Buffer.compare(back, input)).toBe(0);
      }
    }
    expect(blocks).toBeGreaterThan(500);
    expect(broken / blocks).toBeGreaterThan(0.1);
  });

  it("is the only entry that adds lz4js to a bundle", async () => {
    const main = await bundled(entry("codecs.ts"));
    expect(main.filter((input) => input.includes("lz4js"))).toEqual([]);
    expect(main.some((input) => input.includes("pako"))).toBe(true);
    const lz4js = await bundled(entry("lz4js.ts"));
    expect(lz4js.some((input) => input.includes("node_modules/lz4js/lz4.js"))).toBe(true);
  });
});
