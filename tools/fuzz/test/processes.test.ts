import { describe, expect, test } from "vitest";
import { cellOf, DIFFERENT } from "../src/processes/many-files.js";
import {
  loadTableStore,
  readGoldenSet,
  readMany,
  scanLarge,
  scanSparse,
  soak,
} from "../src/processes/run-processes.js";

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

  test("sixteen readers of a table store that another process changes see whole snapshots", async () => {
    const results = await loadTableStore(3);
    expect(results.map(({ role }) => role)).toEqual([
      "writer",
      ...Array.from({ length: 16 }, () => "reader"),
    ]);
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const { done } of results) {
      expect(done).toBeGreaterThan(0);
    }
  });

  test("scanning a sparse file takes memory independent of its size", async () => {
    const { rows, rowsWritten, fileBytes, peakBytes } = await scanSparse(2 ** 30);
    expect(fileBytes).toBeGreaterThan(2 ** 30);
    expect(rows).toBe(rowsWritten);
    expect(peakBytes).toBeLessThan(256 * 2 ** 20);
  });

  test.each(["open", "dataset"] as const)("very many files, %s at once", async (role) => {
    const count = 2 * DIFFERENT;
    const { rows, sum, peakBytes } = await readMany(role, count);
    expect(rows).toBe(3 * count);
    expect(sum).toBe(Array.from({ length: count }, (_, i) => cellOf(i)).reduce((all, one) => all + one, 0));
    expect(peakBytes).toBeLessThan(256 * 2 ** 20);
  });
});
