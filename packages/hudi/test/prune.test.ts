/** File slices that cannot have matching rows, by made statistics. */
import { type AvroObject, type AvroType, type AvroValue, parseAvroSchema } from "@cfile/avro";
import type { Conditions } from "@cfile/encodings/conditions";
import { describe, expect, test } from "vitest";
import { columnStatsKey } from "../src/metadata/metadata-keys.js";
import type { MetadataTable } from "../src/metadata/metadata-table.js";
import { columnOf } from "../src/rows/column-type.js";
import { pruneSlices } from "../src/rows/prune.js";
import type { FileSlice } from "../src/slices/file-slices.js";

const typeOf = (schema: unknown): AvroType => parseAvroSchema(JSON.stringify(schema));
const BASE = "f-0_0-1-1_20261122000000000.parquet";
const slice = (logFiles: readonly string[] = []): FileSlice => ({
  ...{ partition: "", fileId: "f-0", baseInstant: "20261122000000000" },
  ...{ baseFile: BASE, logFiles },
});

interface Stats {
  readonly wrapper: string;
  readonly min: AvroValue;
  readonly max: AvroValue;
  readonly nullCount?: number;
  readonly valueCount?: number;
}

/** A metadata table that has statistics of the column `c`. */
function tableWith({ wrapper, min, max, nullCount = 0, valueCount = 3 }: Stats): MetadataTable {
  const bound = (value: AvroValue): AvroValue => (value === null ? null : { [wrapper]: { value } });
  const counts = { nullCount, valueCount, totalSize: 1, totalUncompressedSize: 1 };
  const stats: AvroObject = { minValue: bound(min), maxValue: bound(max), ...counts };
  return {
    has: (partition: string) => partition === "column_stats",
    find: async (_: string, keys: readonly string[]) =>
      new Map(
        keys
          .filter((key) => key === columnStatsKey("c", "", BASE))
          .map((key) => [key, { ColumnStatsMetadata: stats }]),
      ),
  } as unknown as MetadataTable;
}

/** Whether the slice is kept. */
async function isLeft(stats: Stats, where: Conditions, type: unknown = "long"): Promise<boolean> {
  const columns = [columnOf("c", typeOf(type)), columnOf("other", typeOf("long"))];
  const settings = { where, columns, baseOnly: false };
  const left = await pruneSlices(tableWith(stats), [slice()], settings);
  return left.length === 1;
}

describe("statistics of values from 10 to 20", () => {
  const stats: Stats = { wrapper: "LongWrapper", min: 10, max: 20 };
  test.each<[op: "=" | "<" | "<=" | ">" | ">=", skipped: readonly number[], left: readonly number[]]>([
    ["=", [9, 21], [10, 15, 20]],
    ["<", [9, 10], [11, 30]],
    ["<=", [9], [10, 30]],
    [">", [20, 21], [19, 0]],
    [">=", [21], [20, 0]],
  ])("skip the file for %s", async (op, skipped, left) => {
    for (const value of skipped) {
      expect(await isLeft(stats, { column: "c", op, value }), String(value)).toBe(false);
      expect(await isLeft(stats, { column: "c", op, value: BigInt(value) }), `${value}n`).toBe(false);
    }
    for (const value of left) {
      expect(await isLeft(stats, { column: "c", op, value }), String(value)).toBe(true);
    }
  });

  test("skip the file for lists without a value between them", async () => {
    expect(await isLeft(stats, { column: "c", op: "in", values: [1, 30n] })).toBe(false);
    expect(await isLeft(stats, { column: "c", op: "in", values: [1, 15] })).toBe(true);
  });

  test("skip the file for null, unless they count nulls or no values", async () => {
    const where = { column: "c", op: "isNull" } as const;
    expect(await isLeft(stats, where)).toBe(false);
    expect(await isLeft({ ...stats, nullCount: 1 }, where)).toBe(true);
    expect(await isLeft({ ...stats, valueCount: 0 }, where)).toBe(true);
  });

  test("do not skip the file for values other than null, and for other columns", async () => {
    expect(await isLeft(stats, { column: "c", op: "isNotNull" })).toBe(true);
    expect(await isLeft(stats, { column: "other", op: "=", value: 1 })).toBe(true);
    expect(await isLeft(stats, { column: "unknown", op: "=", value: 1 })).toBe(true);
    expect(await isLeft(stats, { op: "=", value: 1 })).toBe(true);
  });

  test("do not skip a slice with log files, whose rows they do not know", async () => {
    const where = { column: "c", op: "=", value: 1 } as const;
    const settings = { where, columns: [columnOf("c", typeOf("long"))], baseOnly: false };
    const slices = [slice([".f-0_20261122000000000.log.1_0-1-1"])];
    expect(await pruneSlices(tableWith(stats), slices, settings)).toEqual(slices);
    expect(await pruneSlices(tableWith(stats), slices, { ...settings, baseOnly: true })).toEqual([]);
  });
});

describe("statistics whose bounds do not compare with values of the column", () => {
  const decimal = { type: "bytes", logicalType: "decimal", precision: 5, scale: 2 };
  const timestamp = (logicalType: string) => ({ type: "long", logicalType });
  test.each<[string, Stats, unknown, number | bigint | string]>([
    // The file has integers, so 7 is 700 hundredths.
    ["integers of a decimal column", { wrapper: "IntWrapper", min: 7, max: 7 }, decimal, 700n],
    ["milliseconds", { wrapper: "LongWrapper", min: 7, max: 7 }, timestamp("timestamp-millis"), 7000n],
    [
      "local milliseconds",
      { wrapper: "TimestampMicrosWrapper", min: 7, max: 7 },
      timestamp("local-timestamp-millis"),
      7000n,
    ],
    ["microseconds", { wrapper: "LongWrapper", min: 7, max: 7 }, timestamp("timestamp-micros"), 7000n],
    ["no bounds", { wrapper: "LongWrapper", min: null, max: null }, "long", 1],
    ["no maximum", { wrapper: "LongWrapper", min: 5, max: null }, "long", 1],
    ["NaN", { wrapper: "DoubleWrapper", min: Number.NaN, max: Number.NaN }, "double", 1],
    ["true and false", { wrapper: "BooleanWrapper", min: false, max: false }, "boolean", 1],
    ["bytes", { wrapper: "BytesWrapper", min: Uint8Array.of(1), max: Uint8Array.of(1) }, "bytes", "a"],
    [
      "text that UTF-16 orders otherwise",
      { wrapper: "StringWrapper", min: "\ue000", max: "\ue000" },
      "string",
      "a",
    ],
  ])("%s do not skip the file", async (_, stats, type, value) => {
    expect(await isLeft(stats, { column: "c", op: "=", value }, type)).toBe(true);
  });

  test("microseconds that cannot be milliseconds skip the file", async () => {
    const stats = { wrapper: "LongWrapper", min: 1_700_000_000_000_000, max: 1_800_000_000_000_000 };
    const later = { column: "c", op: ">", value: 1_900_000_000_000_000n } as const;
    expect(await isLeft(stats, later, timestamp("timestamp-micros"))).toBe(false);
    expect(await isLeft({ ...stats, min: 5 }, later, timestamp("timestamp-micros"))).toBe(false);
    const past = { column: "c", op: "<", value: -1n } as const;
    expect(await isLeft({ ...stats, min: 5, max: 6 }, past, timestamp("timestamp-micros"))).toBe(false);
    const halves = { wrapper: "DoubleWrapper", min: 5.5, max: 6.5 };
    expect(await isLeft(halves, past, timestamp("timestamp-micros"))).toBe(false);
  });

  test("text skips the file, unless UTF-16 orders the value otherwise", async () => {
    const stats = { wrapper: "StringWrapper", min: "b", max: "d" };
    expect(await isLeft(stats, { column: "c", op: "=", value: "a" }, "string")).toBe(false);
    expect(await isLeft(stats, { column: "c", op: ">", value: "d" }, "string")).toBe(true);
    expect(await isLeft(stats, { column: "c", op: "=", value: "\ue000" }, "string")).toBe(true);
  });
});
