import type { DataType } from "@cfile/encodings";
import { encodeCompositeKey, type KeyValue } from "@cfile/encodings/keys";
import { icebergSchema } from "@cfile/iceberg";
import { expect, test } from "vitest";
import { partitionFieldOf, type RangedTablet } from "../src/kudu/export/kudu-partitions.js";

type Range = readonly [from: readonly KeyValue[], to: readonly KeyValue[]];

/** Tablets of a table whose key is its range columns; an empty bound is unbounded. */
function tabletsOf(types: readonly DataType[], ranges: readonly Range[]): RangedTablet[] {
  const columns = types.map((type, i) => ({
    id: 10 + i,
    name: `c${i}`,
    ...{ type, nullable: false, array: false, isKey: true },
    ...{ writeDefault: undefined, comment: undefined, immutable: false, autoIncrementing: false },
  }));
  const key = (values: readonly KeyValue[]): Uint8Array =>
    values.length === 0 ? new Uint8Array(0) : encodeCompositeKey(types, values);
  return ranges.map(([from, to]) => ({
    superblock: {
      schema: { columns },
      partition: { hashBuckets: [], keyStart: key(from), keyEnd: key(to) },
      partitionSchema: { hash: [], rangeColumnIds: columns.map(({ id }) => id), customRanges: [] },
    },
  }));
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const day = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;

test.each<[string, readonly DataType[], readonly Range[], string | undefined]>([
  ["single integers", ["INT32"], [[[1], [2]], [[-5], [-4]]], "identity"],
  ["decades", ["INT32"], [[[0], [10]], [[-20], [-10]]], "truncate[10]"],
  ["ranges that do not start at a multiple of their size", ["INT32"], [[[1], [11]]], undefined],
  ["no bound on one side", ["INT32"], [[[], [10]], [[10], []]], undefined],
  ["decades, and the rest", ["INT64"], [[[], [0n]], [[0n], [10n]], [[10n], []]], "truncate[10]"],
  ["ranges beyond 32 bits", ["INT64"], [[[0n], [2n ** 40n]]], undefined],
  ["days", ["UNIXTIME_MICROS"], [[[day("2024-02-28")], [day("2024-02-29")]], [[day("2024-02-29")], [day("2024-03-01")]]], "day"],
  ["months", ["UNIXTIME_MICROS"], [[[day("2024-02-01")], [day("2024-03-01")]]], "month"],
  ["weeks", ["UNIXTIME_MICROS"], [[[day("2024-02-26")], [day("2024-03-04")]]], "year"],
  ["single dates", ["DATE"], [[[3], [4]]], "identity"],
  ["single texts", ["STRING"], [[[text("a")], [text("a\0")]], [[text("日本")], [text("日本\0")]]], "identity"],
  ["ranges of texts", ["STRING"], [[[text("a")], [text("b")]]], undefined],
  ["a text that is not UTF-8", ["STRING"], [[[Uint8Array.of(0xff)], [Uint8Array.of(0xff, 0)]]], undefined],
  ["one value, then a range of the next column", ["INT8", "INT32"], [[[1, 5], [1, 9]]], "identity"],
  ["one value and all of the next column", ["INT8", "INT32"], [[[1, -(2 ** 31)], [2, -(2 ** 31)]]], "identity"],
  ["two values, the second in part", ["INT8", "INT32"], [[[1, 5], [2, 9]]], undefined],
])("%s: %s", (_, types, ranges, expected) => {
  const tablets = tabletsOf(types, ranges);
  const schema = icebergSchema(tablets[0]?.superblock.schema.columns ?? []);
  expect(partitionFieldOf(tablets, schema)?.transform).toBe(expected);
}); // biome-ignore format: a line per case

test("a table without the column is unpartitioned, and a name that is taken is not given twice", () => {
  const tablets = tabletsOf(["INT32"], [[[0], [10]]]);
  const columns = tablets[0]?.superblock.schema.columns ?? [];
  const other = { id: 99, name: "o", type: "INT32", nullable: false, array: false } as const;
  expect(partitionFieldOf(tablets, icebergSchema([other]))).toBeUndefined();
  const taken = { id: 11, name: "c0_truncate", type: "INT32", nullable: true, array: false } as const;
  expect(partitionFieldOf(tablets, icebergSchema([...columns, taken]))).toEqual({
    sourceId: 10,
    transform: "truncate[10]",
    name: "c0_truncate_",
  });
});
