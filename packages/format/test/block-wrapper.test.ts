import { crc32c, DEFAULT_LIMITS } from "@cfile/bytes";
import { builtinCodecs } from "@cfile/compression/codecs";
import { describe, expect, test } from "vitest";
import { type BlockWrapping, unwrapBlock } from "../src/blocks/block-wrapper.js";
import { findUnreferencedBytes } from "../src/verify/verify-coverage.js";

const words = (...values: number[]): number[] =>
  values.flatMap((value) => [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]);
const plain: BlockWrapping = { version: 2, checksums: true, codec: undefined, kernels: undefined };
const { SNAPPY: codec } = builtinCodecs;
const second: BlockWrapping = { version: 2, checksums: false, codec, kernels: undefined };
const first: BlockWrapping = { ...second, version: 1 };
/** Snappy stream with five bytes as one literal. */
const literal = [5, 0x10, 1, 2, 3, 4, 5];

const unwrap = (bytes: readonly number[], wrapping: BlockWrapping, verify = true): number[] => [
  ...unwrapBlock(Uint8Array.from(bytes), wrapping, { ...DEFAULT_LIMITS, maxBlockSize: 1000 }, verify),
];

describe("a stored block", () => {
  const checksummed = [7, 8, 9, ...words(crc32c(Uint8Array.of(7, 8, 9)))];
  test.each<[string, readonly number[], BlockWrapping, readonly number[]]>([
    ["with its checksum", checksummed, plain, [7, 8, 9]],
    [
      "of version 2 that is not shorter when it is compressed",
      [...words(literal.length), ...literal],
      second,
      literal,
    ],
    ["of version 1", [...words(literal.length, 5), ...literal], first, [1, 2, 3, 4, 5]],
  ])("%s has its content", (_, bytes, wrapping, content) => {
    expect(unwrap(bytes, wrapping)).toEqual(content);
  });

  test("is not compared with its checksum if that is not requested", () => {
    expect(unwrap([7, 8, 9, 0, 0, 0, 0], plain, false)).toEqual([7, 8, 9]);
  });

  test.each<[string, readonly number[], BlockWrapping, string, string]>([
    ["shorter than its checksum", [1, 2, 3], plain, "E_CORRUPT", "checksum"],
    ["with another checksum", [7, 8, 9, 0, 0, 0, 0], plain, "E_CHECKSUM", "checksum"],
    ["shorter than its size", [1, 2], second, "E_CORRUPT", "uncompressed size"],
    ["shorter than its two sizes", words(7), first, "E_CORRUPT", "uncompressed size"],
    ["above the limit", [...words(1001), ...literal], second, "E_LIMIT", "uncompressed size"],
    ["with another compressed size", [...words(6, 5), ...literal], first, "E_CORRUPT", "compressed size"],
    ["that expands to less", [...words(6), ...literal], second, "E_CORRUPT", "uncompressed size"],
  ])("%s is refused", (_, bytes, wrapping, code, field) => {
    expect(() => unwrap(bytes, wrapping)).toThrow(expect.objectContaining({ code, field }));
  });
});

describe("bytes of a file", () => {
  test.each([
    [
      "all in parts",
      [
        [0, 10],
        [10, 20],
      ],
      [],
    ],
    [
      "in a gap",
      [
        [0, 10],
        [12, 18],
      ],
      ["2 unused bytes between the part at 0 and the part at 12"],
    ],
    ["before the first part", [[3, 27]], ["3 unused bytes between the start of the file and the part at 3"]],
    ["after the last part", [[0, 25]], ["5 unused bytes at the end"]],
    [
      "in two parts",
      [
        [0, 20],
        [10, 20],
      ],
      ["part at 10 overlaps the part at 0"],
    ],
    [
      "in an empty part",
      [
        [0, 30],
        [0, 0],
      ],
      [],
    ],
  ] as const)("%s", (_, ranges, reasons) => {
    const parts = ranges.map(([offset, size]) => ({ offset, size, name: `part at ${offset}` }));
    expect(findUnreferencedBytes(parts, 30).map(({ reason }) => reason)).toEqual(reasons);
  });
});
