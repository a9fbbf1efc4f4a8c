import { ByteBuilder, ByteReader, crc32 } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { decompressFramed } from "../src/blocks/hadoop-framing.js";
import { lz4ExpandedLength } from "../src/blocks/hfile-codec.js";
import { readVintLength, vlongAt, vlongLength, writeVlong } from "../src/cells/hadoop-vlong.js";
import { decodeDataBlock } from "../src/encodings/data-block-encoding.js";
import { HFILE_LIMITS } from "../src/file/file-structure.js";
import { inJavaHashOrder } from "../src/file/java-hash-order.js";
import { indexSeparator } from "../src/index/index-separator.js";

describe("Hadoop's VLong", () => {
  it.each<[bigint, number[]]>([
    [0n, [0]],
    [127n, [0x7f]],
    [128n, [0x8f, 0x80]],
    [131n, [0x8f, 0x83]],
    [65536n, [0x8d, 1, 0, 0]],
    [2n ** 63n - 1n, [0x88, 0x7f, 255, 255, 255, 255, 255, 255, 255]],
  ])("%s", (value, bytes) => {
    const out = new ByteBuilder();
    writeVlong(out, value);
    expect([...out.view8()]).toEqual(bytes);
    expect(vlongLength(bytes[0] as number)).toBe(bytes.length);
    expect(vlongAt(Uint8Array.from(bytes), 0)).toBe(value);
  });

  it("decodes negative values, but rejects them as lengths", () => {
    expect(vlongAt(Uint8Array.of(0x90), 0)).toBe(-112n);
    expect(vlongAt(Uint8Array.of(0x87, 0x7f), 0)).toBe(-128n);
    for (const bytes of [[0xff], [0x87, 0x7f], [0x8b, 0x80, 0, 0, 0, 0]]) {
      expect(() => readVintLength(new ByteReader(Uint8Array.from(bytes)), "length")).toThrow(
        expect.objectContaining({ code: "E_CORRUPT" }),
      );
    }
  });
});

it("CRC-32 matches gzip", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  expect(crc32(new Uint8Array(0))).toBe(0);
});

it("inJavaHashOrder matches java.util.HashMap", () => {
  const keys = ["hfile.CREATE_TIME_TS", "KEY_VALUE_VERSION", "x", "hfile.LASTKEY", "hfile.AVG_VALUE_LEN"];
  expect(inJavaHashOrder(keys, (key) => key)).toEqual([
    "hfile.LASTKEY",
    "hfile.AVG_VALUE_LEN",
    "x",
    "KEY_VALUE_VERSION",
    "hfile.CREATE_TIME_TS",
  ]);
});

describe("Hadoop's framing", () => {
  const copy = (chunk: Uint8Array, output: Uint8Array) => {
    output.set(chunk.subarray(0, output.length));
    return chunk.length;
  };
  const words = (...values: number[]) => values.flatMap((value) => [0, 0, 0, value]);

  it("decompresses groups of several chunks", () => {
    const body = Uint8Array.from([...words(3, 2), 1, 2, ...words(1), 3, ...words(1, 1), 4]);
    const output = new Uint8Array(4);
    decompressFramed(body, output, copy);
    expect([...output]).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ["a group that is too long", words(9, 1)],
    ["a chunk that is too long", [...words(2, 3), 1, 2, 3]],
    ["a chunk of nothing", words(2, 0, 0, 0)],
    ["too little", [...words(1, 1), 1]],
    ["a chunk that is cut short", words(4, 4)],
  ])("%s", (_, bytes) => {
    expect(() => decompressFramed(Uint8Array.from(bytes), new Uint8Array(4), copy)).toThrow(
      expect.objectContaining({ name: "CFileError" }),
    );
  });

  it("the length of an LZ4 block is computed from its sequences", () => {
    expect(lz4ExpandedLength(Uint8Array.of(0x1f, 65, 1, 0, 255, 1, 0x10, 66))).toBe(1 + 19 + 255 + 1 + 1);
    expect(() => lz4ExpandedLength(Uint8Array.of(0x20, 65))).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED" }),
    );
  });
});

describe("index separators", () => {
  const key = (row: string, family: string, qualifier: string): Uint8Array =>
    Uint8Array.from([
      0,
      row.length,
      ...new TextEncoder().encode(row),
      family.length,
      ...new TextEncoder().encode(family + qualifier),
      ...new Uint8Array(8),
      4,
    ]);
  const shown = (separator: Uint8Array) => new TextDecoder("latin1").decode(separator.subarray(2, -9));

  it.each<[[string, string, string], [string, string, string], string]>([
    [["abc", "f", "q"], ["abf", "f", "q"], "abd\0"],
    [["abc", "f", "q"], ["abd", "f", "q"], "abd\0"],
    [["ab", "", ""], ["abcde", "", ""], "abc\0"],
    [["a", "f", "a"], ["a", "f", "q"], "a\u0001fb"],
    [["a", "c", "a"], ["a", "f", "q"], "a\u0001d"],
  ])("between %o and %o", (last, first, expected) => {
    expect(shown(indexSeparator(key(...last), key(...first)))).toBe(expected);
  });
});

describe("unsupported data block encodings", () => {
  it.each([
    [6, "PREFIX_TREE"],
    [99, "99"],
  ])("encoding %i is named in the error: %s", (id, name) => {
    const body = new Uint8Array(64);
    body[1] = id;
    expect(() => decodeDataBlock(body, { tags: false, mvcc: false }, HFILE_LIMITS)).toThrow(
      expect.objectContaining({
        code: "E_UNSUPPORTED",
        field: "data block encoding",
        message: expect.stringContaining(`unsupported data block encoding ${name}`),
      }),
    );
  });
});
