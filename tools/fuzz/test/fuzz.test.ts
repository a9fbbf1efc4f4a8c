import { describe, expect, test } from "vitest";
import { tryEveryBit } from "../src/exhaustive.js";
import { goldenFiles } from "../src/golden-file.js";
import { mutate } from "../src/mutate.js";
import { Random } from "../src/random.js";
import { runFuzz } from "../src/run-fuzz.js";

describe("the fuzz run", () => {
  test("finds nothing in its first files", async () => {
    const report = await runFuzz({ seed: 20_000, runs: 150 });
    expect(report.crashes).toEqual([]);
    expect(report.runs).toBe(150);
    for (const { runs, results, refusals } of Object.values(report.harnesses)) {
      expect(results + refusals).toBe(runs);
      expect(results).toBeGreaterThan(0);
      expect(refusals).toBeGreaterThan(0);
    }
  });

  test("is the same for the same seed", async () => {
    const [file] = await goldenFiles(500);
    if (file !== undefined) {
      expect(mutate(file, new Random(5))).toEqual(mutate(file, new Random(5)));
    }
  });

  test("every bit and every length of the smallest files", async () => {
    const report = await tryEveryBit(66, 10);
    expect(report.files).toBeGreaterThan(0);
    expect(report.faults).toEqual([]);
  });
});
