import { CFileError, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
  encodeDeltaStats,
  inKuduOrder,
  parseDeltaStats,
} from "../src/write.js";
import { goldenDeltaFiles } from "./golden.js";

const count = fc.nat(Number.MAX_SAFE_INTEGER);
const timestamp = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const statistics: fc.Arbitrary<DeltaStatistics> = fc
  .record({
    timestamps: fc.tuple(timestamp, timestamp),
    deleteCount: count,
    reinsertCount: count,
    updates: fc.uniqueArray(fc.tuple(fc.nat(0x7fffffff), count), { selector: ([id]) => id }),
  })
  .filter(({ timestamps: [first, last] }) => first <= last)
  .map(({ timestamps: [minTimestamp, maxTimestamp], updates, ...counts }) => ({
    ...counts,
    minTimestamp,
    maxTimestamp,
    updateCounts: new Map(updates),
  }));

describe("delta statistics", () => {
  it("round-trip", () => {
    fc.assert(
      fc.property(statistics, (stated) => {
        const read = parseDeltaStats(encodeDeltaStats(stated));
        expect(read).toEqual(stated);
        expect([...read.updateCounts]).toEqual([...stated.updateCounts]);
      }),
      { seed: 6 },
    );
  });

  it.each(goldenDeltaFiles)("of Kudu are rewritten byte for byte: $name", ({ statsRaw }) => {
    expect(toHex(encodeDeltaStats(parseDeltaStats(fromHex(statsRaw))))).toBe(statsRaw);
  });

  it("may have unknown fields, an old field 2, and no reinsert_count", () => {
    const read = parseDeltaStats(fromHex("0801 1005 1901000000000000002102000000000000007a0101"));
    expect(read).toEqual({
      deleteCount: 1,
      minTimestamp: 1n,
      maxTimestamp: 2n,
      reinsertCount: 0,
      updateCounts: new Map(),
    });
  });

  const head = "0801190100000000000000210200000000000000";
  it.each([
    ["", "delete_count"],
    ["19010000000000000021020000000000000030", "reinsert_count"],
    ["190100000000000000210200000000000000", "delete_count"],
    ["0801210200000000000000", "min_timestamp"],
    ["0801190100000000000000", "max_timestamp"],
    ["0801190300000000000000210200000000000000", "min_timestamp"],
    [`08ffffffffffffffffff01${head.slice(4)}`, "delete_count"],
    [`${head}2a021001`, "col_id"],
    [`${head}2a06088080808008`, "col_id"],
    [`${head}2a040801100 12a0408011002`, "col_id"],
    [`${head}2a0408`, "column_stats"],
    [`${head}2a0108`, "col_id"],
    [`${head}0b`, "delta statistics tag"],
    [`${head}30ffffffffffffffffff01`, "reinsert_count"],
  ])("of '%s' are rejected for %s", (hex, field) => {
    expect(() => parseDeltaStats(fromHex(hex))).toThrow(expect.objectContaining({ field }));
    expect(() => parseDeltaStats(fromHex(hex))).toThrow(CFileError);
  });

  it("of arbitrary bytes are decoded or rejected", () => {
    const raw = fromHex(goldenDeltaFiles[0]?.statsRaw ?? "");
    for (let position = 0; position < raw.length; position++) {
      for (let change = 1; change < 256; change++) {
        const bad = raw.slice();
        bad[position] = (bad[position] as number) ^ change;
        try {
          parseDeltaStats(bad);
        } catch (error) {
          expect(error).toBeInstanceOf(CFileError);
        }
      }
    }
  });

  it("count the entries of a batch", () => {
    const counter = new DeltaStatisticsCounter();
    counter.addBatch({
      length: 3,
      rows: Uint32Array.of(0, 1, 2),
      timestamps: BigUint64Array.of(2n ** 33n + 5n, 2n ** 32n + 9n, 2n ** 33n + 1n),
      types: Uint8Array.of(1, 2, 3),
      offsets: Int32Array.of(0, 5, 5, 7),
      data: fromHex("0d00 0b0207 0b00"),
    });
    const counted = counter.finish();
    expect(counter.entries).toBe(3);
    expect(counted).toEqual({
      minTimestamp: 2n ** 32n + 9n,
      maxTimestamp: 2n ** 33n + 5n,
      deleteCount: 1,
      reinsertCount: 1,
      updateCounts: new Map([
        [13, 1],
        [11, 2],
      ]),
    });
    expect([...inKuduOrder(counted).updateCounts.keys()]).toEqual([11, 13]);
    const stated = { ...counted, deleteCount: 2, updateCounts: new Map([[13, 1]]) };
    expect(compareStatistics(stated, counted)).toEqual([
      { field: "delete_count", stated: "2", counted: "1" },
      { field: "update_count of column 11", stated: "0", counted: "2" },
    ]);
  });
});
