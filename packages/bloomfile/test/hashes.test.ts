import { fromHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cityHash64,
  cityHash64Into,
  fastHash64,
  fastHash64Into,
  murmur2Hash64,
  murmur2Hash64Into,
  Word64,
} from "../src/hash.js";
import { ascii } from "./files.js";
import { goldenPrimitives } from "./golden.js";

describe("golden hashes", () => {
  test("cover all lengths up to 70 and some greater ones", () => {
    expect(goldenPrimitives.hashes).toHaveLength(81);
  });

  test.each(goldenPrimitives.hashes)("match Kudu's for key $key", (vector) => {
    const key = fromHex(vector.key);
    expect(cityHash64(key)).toBe(BigInt(vector.cityhash64));
    expect(murmur2Hash64(key)).toBe(BigInt(vector.murmur2_64_seed0));
    expect(fastHash64(key)).toBe(BigInt(vector.fasthash64_seed0));
    const hash = new Word64();
    cityHash64Into(key, 0, key.length, hash);
    expect([hash.lo >>> 0, hash.hi >>> 0]).toEqual([vector.bloom_h1, vector.bloom_h2]);
  });
});

test.each([
  ["", "c47b6e9e3a970ed3"],
  ["a", "235e57f972565b24"],
  ["abc", "224ca0a599a6c2bf"],
  ["abcd", "5879a172f0097253"],
  ["hello", "e34068fd14d12c4e"],
  ["12345678", "4cafc5033b4f273f"],
  ["123456789", "2660629726d60f04"],
  ["0123456789abcdef", "4f2c4bbf27ba62da"],
  ["0123456789abcdefg", "15217d1c650a8aa7"],
  ["x".repeat(33), "c749126f1e89f9e8"],
  ["x".repeat(64), "4de99fdeedc704f1"],
  ["x".repeat(65), "12bf754afbaac7f2"],
  ["x".repeat(128), "7c2d95b24327be4d"],
  ["x".repeat(200), "a80255e4fc2e936e"],
  ["\0".repeat(8), "c42208960dd0d011"],
  ["\x80\0\0\x01", "d7e089a4c738ad33"],
  ["\x80\0\0\0\0\0\0\x01", "8b1f9de287d2d31d"],
  ["alpha", "507357ca3f0df05e"],
  ["beta", "436a1bac99da38c5"],
  ["gamma", "8fc4a6de230f79eb"],
  ["delta", "475299941291880f"],
  ["aardvark", "01bf68541e8ae8ed"],
])("CityHash64 of %j matches the specification", (text, hash) => {
  expect(cityHash64(ascii(text)).toString(16).padStart(16, "0")).toBe(hash);
});

test.each([
  ["ab", 0, 17293172613997361769n],
  ["abcdefg", 0, 10206404559164245992n],
  ["quick brown fox", 42, 3757424404558187042n],
  ["", 0, 4144680785095980158n],
  ["", 1234, 3296774803014270295n],
])("FastHash of %j with seed %d matches Kudu's clients", (text, seed, hash) => {
  expect(fastHash64(ascii(text), seed)).toBe(hash);
});

test("the hash of a range does not depend on the surrounding bytes", () => {
  const hashes = [
    [cityHash64, cityHash64Into],
    [murmur2Hash64, murmur2Hash64Into],
    [fastHash64, fastHash64Into],
  ] as const;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(20), fc.nat(20), (key, before, after) => {
      const bytes = new Uint8Array(before + key.length + after).fill(0xa5);
      bytes.set(key, before);
      const out = new Word64(1, 2);
      for (const [hash, hashInto] of hashes) {
        hashInto(bytes, before, before + key.length, out);
        expect(out.toBigInt()).toBe(hash(key));
      }
    }),
  );
});
