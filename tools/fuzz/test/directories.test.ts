import { describe, expect, test } from "vitest";
import { damageDirectories } from "../src/directories/damage-directories.js";
import { changedStretch, ReadRanges } from "../src/directories/read-ranges.js";
import { readTablets } from "../src/directories/read-tablets.js";
import { DIRECTORIES } from "../src/directories/server-directories.js";

describe("directories with one damaged file", () => {
  test("give all rows or an error, and what is recovered is accounted for", async () => {
    const { faults, results, recovered, cases } = await damageDirectories(29, 0, 30);
    expect(faults).toEqual([]);
    expect(cases).toBe(30);
    expect(results.unchanged).toBeGreaterThan(0);
    expect(results.refused).toBeGreaterThan(0);
    expect(recovered).toBeGreaterThan(0);
    expect(DIRECTORIES.length).toBe(30);
  });

  test("do not lose the last entry of a log to a flipped bit, in encrypted files either", async () => {
    const { faults, results } = await damageDirectories(2026, 95_560, 95_561);
    expect(faults).toEqual([]);
    expect(results.refused).toBe(1);
  });

  test("are read again where a changed byte was read", () => {
    const before = new Uint8Array(10_000);
    const after = before.slice();
    after[5000] = 1;
    const changed = changedStretch(before, after);
    expect([changed.from <= 5000, changed.to > 5000]).toEqual([true, true]);
    expect(changed.to - changed.from).toBeLessThan(5000);
    expect(changedStretch(before, after.subarray(1)).to).toBe(Number.POSITIVE_INFINITY);
    const reads = new ReadRanges();
    reads.add("a", 0, 100);
    reads.add("a", 100, 200);
    reads.add("a", 6000, 7000);
    expect(
      [0, 150, 199, 200, 5999, 6999, 7000].map((at) => reads.overlaps("a", { from: at, to: at + 1 })),
    ).toEqual([true, true, true, false, false, true, false]);
    expect([reads.overlaps("b", { from: 0, to: 10 }), reads.hasFile("b")]).toEqual([false, false]);
  });

  test("that are empty are refused", async () => {
    await expect(readTablets(new Map())).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });
});
