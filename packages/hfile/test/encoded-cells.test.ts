/** Blocks of the encodings PREFIX, DIFF, FAST_DIFF and ROW_INDEX_V1, byte by byte, with contents that writers produce rarely or never. */
import { isCFileError, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import type { CellLayout } from "../src/cells/cell-batch.js";
import { decodeDataBlock } from "../src/encodings/data-block-encoding.js";
import { HFILE_LIMITS } from "../src/file/file-structure.js";

const PREFIX = 2;
const DIFF = 3;
const FAST_DIFF = 4;
const ROW_INDEX = 7;
const PLAIN: CellLayout = { tags: false, mvcc: false };
const TAGS: CellLayout = { tags: true, mvcc: false };
const COMPRESSED: CellLayout = { tags: true, mvcc: false, tagsCompressed: true };
const MVCC: CellLayout = { tags: false, mvcc: true };

const u16 = (value: number): number[] => [value >>> 8, value & 255];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];
const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >>> 7]);
const TIMESTAMP = [0, 0, 1, 2, 3, 4, 5, 6];
const PUT = 4;

/** A key with a row of `length` bytes and no qualifier. */
function key(length: number, family = 0): number[] {
  return [
    ...u16(length),
    ...new Array(length).fill(97),
    family,
    ...new Array(family).fill(102),
    ...TIMESTAMP,
    PUT,
  ];
}

function plainCell(
  keyBytes: readonly number[],
  value: readonly number[],
  rest: readonly number[] = [],
): number[] {
  return [...u32(keyBytes.length), ...u32(value.length), ...keyBytes, ...value, ...rest];
}

function decode(encoding: number, body: readonly number[], layout: CellLayout): string {
  return toHex(decodeDataBlock(Uint8Array.from([0, encoding, ...body]), layout, HFILE_LIMITS));
}

const hex = (bytes: readonly number[]): string => toHex(Uint8Array.from(bytes));

function refusal(
  encoding: number,
  body: readonly number[],
  layout: CellLayout,
): [string, string | undefined] {
  try {
    decode(encoding, body, layout);
  } catch (error) {
    if (isCFileError(error)) {
      return [error.code, error.field];
    }
    throw error;
  }
  return ["none", undefined];
}

const long = new Array(200).fill(7);
/** A cell of PREFIX: number of remaining key bytes, value length, number of shared bytes, key, value. */
const prefixCell = (
  common: number,
  rest: readonly number[],
  value: readonly number[],
  valueLength = value.length,
) => [...varint(rest.length), ...varint(valueLength), ...varint(common), ...rest, ...value];
/** A cell of FAST_DIFF with all lengths. */
const fastCell = (
  flags: number,
  [keyLength, valueLength, common]: readonly [number, number, number],
  ...rest: readonly (readonly number[])[]
) => [flags, ...varint(keyLength), ...varint(valueLength), ...varint(common), ...rest.flat()];

describe("decoded cells", () => {
  const keys = [key(150), key(150)];
  const cells = keys.flatMap((bytes) => plainCell(bytes, long));

  it.each([
    [
      "PREFIX, of a long common key",
      PREFIX,
      [...prefixCell(0, key(150), long), ...prefixCell(150, key(150).slice(150), long)],
    ],
    [
      "DIFF, of a long common key",
      DIFF,
      [
        ...[
          0,
          0x70,
          ...varint(162),
          ...varint(200),
          0,
          ...key(150).slice(0, 152),
          ...TIMESTAMP.toReversed(),
          PUT,
          ...long,
        ],
        ...[0x0f, ...varint(153), 0, ...long],
      ],
    ],
    [
      "FAST_DIFF, of a long common key and value",
      FAST_DIFF,
      [
        ...fastCell(0, [162, 200, 0], key(150), long),
        ...fastCell(32 + 64 + 7, [162, 200, 153], TIMESTAMP.slice(7)),
      ],
    ],
  ])("%s", (_, encoding, body) => {
    expect(decode(encoding, [...u32(cells.length), ...body], PLAIN)).toBe(hex(cells));
  });

  it("FAST_DIFF, that take more room than the size of the input promises", () => {
    const count = 400;
    const all = Array.from({ length: count }, () => plainCell(key(150), long)).flat();
    const again = [32 + 64 + 16 + 8 + 7, ...varint(153), 6];
    const body = [...fastCell(0, [162, 200, 0], key(150), long), ...new Array(count - 1).fill(again).flat()];
    expect(decode(FAST_DIFF, [...u32(all.length), ...body], PLAIN)).toBe(hex(all));
  });

  it("PREFIX, that take more room than the size of the input promises", () => {
    const count = 400;
    const all = Array.from({ length: count }, () => plainCell(key(1000), [])).flat();
    const body = [
      ...prefixCell(0, key(1000), []),
      ...new Array(count - 1).fill(prefixCell(1012, [], [])).flat(),
    ];
    expect(decode(PREFIX, [...u32(all.length), ...body], PLAIN)).toBe(hex(all));
  });
});

describe("cells that contradict themselves", () => {
  const one = plainCell(key(1), [9]);
  const fast = fastCell(0, [13, 1, 0], key(1), [9]);
  const twice = 2 * one.length;

  it.each<[string, number, number[], CellLayout, [string, string]]>([
    [
      "PREFIX: a key without timestamp",
      PREFIX,
      [...u32(9), ...prefixCell(0, [0], [])],
      PLAIN,
      ["E_CORRUPT", "key length"],
    ],
    [
      "PREFIX: less than the stated size",
      PREFIX,
      [...u32(one.length + 1), ...prefixCell(0, key(1), [9])],
      PLAIN,
      ["E_CORRUPT", "decoded size"],
    ],
    [
      "PREFIX: more than the stated size",
      PREFIX,
      [...u32(one.length - 1), ...prefixCell(0, key(1), [9])],
      PLAIN,
      ["E_CORRUPT", "cell"],
    ],
    [
      "PREFIX: a common key without a cell before",
      PREFIX,
      [...u32(one.length), ...prefixCell(1, key(1).slice(1), [9])],
      PLAIN,
      ["E_CORRUPT", "common key"],
    ],
    [
      "PREFIX: a common key longer than the one before",
      PREFIX,
      [...u32(twice + 9), ...prefixCell(0, key(1), [9]), ...prefixCell(18, [], [])],
      PLAIN,
      ["E_CORRUPT", "common key"],
    ],
    [
      "PREFIX: no room for the MVCC number",
      PREFIX,
      [...u32(one.length), ...prefixCell(0, key(1), [9]), 1],
      MVCC,
      ["E_CORRUPT", "MVCC number"],
    ],
    [
      "PREFIX: no MVCC number",
      PREFIX,
      [...u32(one.length + 1), ...prefixCell(0, key(1), [9])],
      MVCC,
      ["E_TRUNCATED", "MVCC number"],
    ],
    [
      "DIFF: a family that does not fit the key",
      DIFF,
      [...u32(one.length), 1, 102, 0, 13, 1, 0, 0, 1, 97],
      PLAIN,
      ["E_CORRUPT", "qualifier"],
    ],
    [
      "FAST_DIFF: less than the stated size",
      FAST_DIFF,
      [...u32(one.length + 1), ...fast],
      PLAIN,
      ["E_CORRUPT", "decoded size"],
    ],
    [
      "FAST_DIFF: more than the stated size",
      FAST_DIFF,
      [...u32(one.length - 1), ...fast],
      PLAIN,
      ["E_CORRUPT", "cell length"],
    ],
    [
      "FAST_DIFF: a key that is too short",
      FAST_DIFF,
      [...u32(one.length), ...fastCell(0, [11, 1, 0], key(1), [9])],
      PLAIN,
      ["E_CORRUPT", "cell length"],
    ],
    [
      "FAST_DIFF: a common key in the first cell",
      FAST_DIFF,
      [...u32(one.length), ...fastCell(0, [13, 1, 1], key(1), [9])],
      PLAIN,
      ["E_CORRUPT", "row length"],
    ],
    [
      "FAST_DIFF: the value before in the first cell",
      FAST_DIFF,
      [...u32(one.length), ...fastCell(64, [13, 1, 0], key(1))],
      PLAIN,
      ["E_CORRUPT", "value length"],
    ],
    [
      "FAST_DIFF: the value before, which is shorter",
      FAST_DIFF,
      [...u32(twice + 1), ...fast, ...fastCell(64 + 32 + 7, [13, 2, 4], [6])],
      PLAIN,
      ["E_CORRUPT", "value length"],
    ],
    [
      "FAST_DIFF: a common key that contains the timestamp",
      FAST_DIFF,
      [...u32(twice), ...fast, ...fastCell(32 + 7, [13, 1, 5], [6, 9])],
      PLAIN,
      ["E_CORRUPT", "common key length"],
    ],
    [
      "FAST_DIFF: a row that does not fit the key",
      FAST_DIFF,
      [...u32(twice), ...fast, ...fastCell(32 + 7, [13, 1, 0], [0, 2, 98, 98], [6, 9])],
      PLAIN,
      ["E_CORRUPT", "row length"],
    ],
    [
      "FAST_DIFF: a family that does not fit the key before",
      FAST_DIFF,
      [
        ...u32(twice),
        ...fastCell(0, [13, 1, 0], key(1).with(3, 200), [9]),
        ...fastCell(39, [13, 1, 2], [98, 6, 9]),
      ],
      PLAIN,
      ["E_CORRUPT", "row length"],
    ],
    [
      "FAST_DIFF: tags without room",
      FAST_DIFF,
      [...u32(one.length + 1), ...fast, 0],
      TAGS,
      ["E_CORRUPT", "tags"],
    ],
    [
      "FAST_DIFF: an MVCC number without room",
      FAST_DIFF,
      [...u32(one.length), ...fast, 1],
      MVCC,
      ["E_CORRUPT", "MVCC number"],
    ],
    [
      "tags of more than 64 KiB",
      FAST_DIFF,
      [...u32(one.length + 2), ...fast, 0x80, 0x80, 4],
      TAGS,
      ["E_CORRUPT", "tags length"],
    ],
    [
      "a tag longer than all tags of its cell",
      FAST_DIFF,
      [...u32(one.length + 9), ...fast, 4, 255, 3, 1, 2, 3],
      COMPRESSED,
      ["E_CORRUPT", "tags length"],
    ],
    [
      "a tag that is not in the dictionary",
      FAST_DIFF,
      [...u32(one.length + 9), ...fast, 4, 0, 0],
      COMPRESSED,
      ["E_CORRUPT", "tag number"],
    ],
    [
      "ROW_INDEX_V1: a wrong number of rows",
      ROW_INDEX,
      [...one, ...u32(2), ...u32(0), ...u32(one.length)],
      PLAIN,
      ["E_CORRUPT", "row count"],
    ],
  ])("%s", (_, encoding, body, layout, expected) => {
    expect(refusal(encoding, body, layout)).toEqual(expected);
  });
});
