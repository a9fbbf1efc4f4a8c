import { describe, expect, test } from "vitest";
import { readGoldenSet, scanLarge, soak } from "../src/processes/run-processes.js";

describe("separate processes", () => {
  test("two processes read files that a third one replaces: never a mixture", async () => {
    const results = await soak(3);
    expect(results.map(({ role }) => role)).toEqual(["writer", "reader", "reader"]);
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const { done, errors } of results) {
      expect(done).toBeGreaterThan(3);
      expect(errors).toEqual({});
    }
  });

  test("scanning a large file takes memory independent of its size", async () => {
    const { rows, rowsWritten, peakBytes } = await scanLarge(64 * 2 ** 20);
    expect(rows).toBe(rowsWritten);
    expect(peakBytes).toBeLessThan(256 * 2 ** 20);
  });

  test("golden files need a heap of at most 64 MiB", async () => {
    const { files, failing } = await readGoldenSet(64, 16);
    expect(files).toBeGreaterThan(40);
    expect(failing).toEqual([]);
  });
});
