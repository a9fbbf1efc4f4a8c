import { ByteBuilder, toHex, utf8Bytes } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHudiBloomFilter } from "../src/file/hudi-bloom-filter.js";
import { hudiBloomLookup, openHFile } from "../src/index.js";
import { goldenFile } from "./golden.js";

/** A simple filter, or the head of a dynamic one. */
function simple({
  version = -1,
  hashes = 3,
  kind = 1,
  bits = 64,
  words = [255, 255, 255, 255, 255, 255, 255, 255],
}) {
  const out = new ByteBuilder();
  out.u32be(version >>> 0);
  out.u32be(hashes);
  out.u8(kind);
  out.u32be(bits);
  out.append(Uint8Array.from(words));
  return out.finish();
}

function dynamic(count: number, ...filters: readonly Uint8Array[]): Uint8Array {
  const out = new ByteBuilder();
  out.append(simple({ words: [] }));
  out.u32be(10);
  out.u32be(5);
  out.u32be(count);
  for (const filter of filters) {
    out.append(filter);
  }
  return out.finish();
}

const lookup = (typeCode: string, serialized: Uint8Array) =>
  hudiBloomLookup({ typeCode, serialized, simple: undefined });

describe("lookups in a Bloom filter of Hudi", () => {
  it.each([
    ["simple", "hudi_1_0_hbase_2_4_9_16KB_NONE_5000"],
    ["dynamic", "hudi_1_0_hbase_2_4_9_no_entry"],
  ])("find nothing in a %s filter that Hudi wrote without keys", async (_, name) => {
    const filter = await (await openHFile(goldenFile(name).bytes)).hudiBloomFilter();
    const mayContain = filter && hudiBloomLookup(filter);
    expect(Array.from({ length: 100 }, (__, i) => mayContain?.(utf8Bytes(`key ${i}`)))).not.toContain(true);
    expect(mayContain).toBeDefined();
  });

  it("find a key in any part of a dynamic filter", () => {
    const none = simple({ words: new Array(8).fill(0) });
    expect(lookup("DYNAMIC_V0", dynamic(2, none, simple({})))(utf8Bytes("a"))).toBe(true);
    expect(lookup("DYNAMIC_V0", dynamic(2, none, none))(utf8Bytes("a"))).toBe(false);
    expect(lookup("DYNAMIC_V0", dynamic(0))(utf8Bytes("a"))).toBe(false);
  });

  it("find nothing when a bit of the key is not set, for keys of any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (key) => {
        const found = Array.from({ length: 64 }, (_, bit) => {
          const words = Array.from({ length: 8 }, (__, i) => (i === bit >> 3 ? 255 ^ (1 << (bit & 7)) : 255));
          return lookup("SIMPLE", simple({ hashes: 1, words }))(key);
        });
        // With one hash, each key sets one bit.
        expect(found.filter((each) => !each).length).toBe(1);
      }),
    );
  });

  it.each([
    ["a filter of an unknown type", "CUSTOM", simple({}), "E_UNSUPPORTED", "bloom filter"],
    ["another version", "SIMPLE", simple({ version: 0 }), "E_UNSUPPORTED", "bloom filter"],
    ["another hash", "SIMPLE", simple({ kind: 0 }), "E_UNSUPPORTED", "bloom filter"],
    ["too many hashes", "SIMPLE", simple({ hashes: 1001 }), "E_CORRUPT", "bloom filter"],
    ["no bits", "SIMPLE", simple({ bits: 0 }), "E_CORRUPT", "bloom filter"],
    ["a negative number of bits", "SIMPLE", simple({ bits: 0x80000000 }), "E_CORRUPT", "bloom filter"],
    ["fewer bits than stated", "SIMPLE", simple({ bits: 65 }), "E_TRUNCATED", "bits"],
    ["too many parts", "DYNAMIC_V0", dynamic(100_001), "E_CORRUPT", "number of filters"],
    ["fewer parts than stated", "DYNAMIC_V0", dynamic(2, simple({})), "E_TRUNCATED", "version"],
  ])("refuse %s", (_, typeCode, serialized, code, field) => {
    expect(() => lookup(typeCode, serialized)).toThrow(expect.objectContaining({ code, field }));
  });
});

describe("the block of a Bloom filter", () => {
  const block = (bytes: Uint8Array): Uint8Array => utf8Bytes(Buffer.from(bytes).toString("base64"));

  it("has the fields of a simple filter", () => {
    const { serialized, simple: fields } = parseHudiBloomFilter(block(simple({ bits: 60 })));
    expect(toHex(serialized)).toBe(toHex(simple({ bits: 60 })));
    expect(fields).toMatchObject({ hashes: 3, hashKind: 1, bits: 60 });
  });

  it.each([
    ["is not base64", utf8Bytes("=?"), "E_CORRUPT"],
    ["is shorter than its head", block(simple({ words: [] }).subarray(1)), "E_TRUNCATED"],
    ["has fewer bits than stated", block(simple({ bits: 65 })), "E_CORRUPT"],
    ["has a negative number of bits", block(simple({ bits: 0xffffffff })), "E_CORRUPT"],
  ])("is refused if it %s", (_, bytes, code) => {
    expect(() => parseHudiBloomFilter(bytes)).toThrow(expect.objectContaining({ code }));
  });
});
