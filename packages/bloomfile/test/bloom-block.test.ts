import { fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BloomFilter, encodeBloomBlock, parseBloomBlock } from "../src/index.js";

const failure = (code: string, field: string) => expect.objectContaining({ code, field });

test("a block consists of header length, header and bits", () => {
  const filter = new BloomFilter(fromHex("60000020820100102202014008082600"), 6);
  const block = encodeBloomBlock(filter);
  expect(toHex(block)).toBe("02000000080660000020820100102202014008082600");
  const parsed = parseBloomBlock(block);
  expect(parsed).toMatchObject({ hashCount: 6, bitCount: 128 });
  expect(parsed.bits).toEqual(filter.bits);
});

test("filters round-trip through blocks", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 99 }),
      fc.integer({ min: 1, max: 64 }),
      (bits, k) => {
        const parsed = parseBloomBlock(encodeBloomBlock(new BloomFilter(bits, k)));
        expect(parsed.hashCount).toBe(k);
        expect(parsed.bits).toEqual(bits);
      },
    ),
  );
});

describe("a header", () => {
  test.each([
    ["with unknown fields", "0b000000 12 02 ffff 1d 01020304 08 03", 3],
    ["with a repeated field, the last of which counts,", "04000000 08 03 08 05", 5],
    ["with an overlong varint", "05000000 08 8380 8000", 3],
  ])("%s is accepted", (_, header, hashCount) => {
    expect(parseBloomBlock(fromHex(`${header} ff`)).hashCount).toBe(hashCount);
  });

  test.each([
    ["without a hash count", "00000000 ff", "E_CORRUPT", "num_hash_functions"],
    ["with an unknown field only", "02000000 1003 ff", "E_CORRUPT", "num_hash_functions"],
    [
      "with a hash count of an unexpected wire type",
      "06000000 0a 04 01020304 ff",
      "E_CORRUPT",
      "num_hash_functions",
    ],
    ["with 0 hash functions", "02000000 0800 ff", "E_CORRUPT", "num_hash_functions"],
    ["with 65 hash functions", "02000000 0841 ff", "E_CORRUPT", "num_hash_functions"],
    ["with -1 hash functions", "0b000000 08 ffffffffffffffffff01 ff", "E_CORRUPT", "num_hash_functions"],
    ["with 2^32 hash functions", "06000000 08 8080808010 ff", "E_CORRUPT", "num_hash_functions"],
    ["with 2^31 hash functions", "06000000 08 8080808008 ff", "E_CORRUPT", "num_hash_functions"],
    [
      "with a varint without an end",
      "0c000000 08 ffffffffffffffffffffff ff",
      "E_CORRUPT",
      "num_hash_functions",
    ],
    ["truncated inside the hash count", "02000000 0880 ff", "E_TRUNCATED", "num_hash_functions"],
    ["with an invalid tag", "02000000 0703 ff", "E_CORRUPT", "bloom header tag"],
    ["longer than the block", "04000000 0803 ff", "E_TRUNCATED", "bloom header"],
    ["of 4 GiB", "ffffffff 0803 ff", "E_TRUNCATED", "bloom header"],
  ])("%s is rejected", (_, block, code, field) => {
    expect(() => parseBloomBlock(fromHex(block))).toThrow(failure(code, field));
  });
});

test("a block without bits is rejected", () => {
  expect(() => parseBloomBlock(fromHex("02000000 0806"))).toThrow(failure("E_CORRUPT", "bloom filter"));
});

test("a filter with more bits than positions can address is rejected", () => {
  // Only the size matters: the memory is never touched.
  const bytes = new Uint8Array(6 + 2 ** 29 + 1);
  bytes.set(fromHex("02000000 0806"));
  expect(() => parseBloomBlock(bytes)).toThrow(failure("E_LIMIT", "bloom filter"));
});

test("a truncated block is rejected, or parsed as a smaller filter", () => {
  const block = encodeBloomBlock(new BloomFilter(new Uint8Array(20).fill(0x5a), 13));
  for (let length = 0; length < block.length; length++) {
    const cut = block.subarray(0, length);
    if (length <= 6) {
      expect(() => parseBloomBlock(cut)).toThrow(expect.objectContaining({ name: "CFileError" }));
    } else {
      expect(parseBloomBlock(cut).bitCount).toBe(8 * (length - 6));
    }
  }
});

test("any bytes are parsed as a filter or throw a CFileError", () => {
  const near = fc
    .tuple(fc.nat(9), fc.uint8Array({ maxLength: 12 }))
    .map(([length, rest]) => Uint8Array.of(length, 0, 0, 0, ...rest));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 30 }), near), (bytes) => {
      try {
        const filter = parseBloomBlock(bytes);
        filter.mayContain(bytes);
        expect(filter.measureFill().fill).toBeLessThanOrEqual(1);
      } catch (error) {
        expect(isCFileError(error)).toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
});
