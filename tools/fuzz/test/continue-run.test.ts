import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { caseSeed } from "../src/random.js";
import { reliabilityText } from "../src/report/reliability-text.js";
import {
  type ContinuedRun,
  joinDirectories,
  nextCase,
  nextDirectory,
  noDirectories,
  readRuns,
  totalOfHarnesses,
  writeRuns,
} from "../src/report/run-journal.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cfile-runs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (from: number, to: number, seed = 7): ContinuedRun => ({
  commit: "abc",
  date: "2026-01-01",
  node: "v20",
  seed,
  harnesses: { one: { from, to, results: to - from, refusals: 0, crashes: 0, seconds: 2 } },
  directories: { ...noDirectories(from), to, seconds: 1 },
  faults: [],
});

describe("the journal of continued runs", () => {
  test("continues the indexes of the same seed", () => {
    const runs = [run(0, 10), run(10, 25), run(0, 400, 8)];
    expect(nextCase(runs, 7, "one")).toBe(25);
    expect(nextCase(runs, 7, "another")).toBe(0);
    expect(nextDirectory(runs, 7)).toBe(25);
    expect(nextCase([], 7, "one")).toBe(0);
  });

  test("is replaced at once and read again", () => {
    const file = join(folder, "runs.ndjson");
    expect(readRuns(file)).toEqual([]);
    writeRuns(file, [run(0, 10), run(10, 25)]);
    expect(readRuns(file)).toEqual([run(0, 10), run(10, 25)]);
    writeFileSync(`${file}.tmp`, "half of a li");
    expect(readRuns(file).length).toBe(2);
  });

  test("adds up", () => {
    expect(totalOfHarnesses([run(0, 10), run(10, 25), run(0, 5, 8)]).get("one")).toMatchObject({
      to: 30,
      results: 30,
      seconds: 6,
    });
    const joined = joinDirectories(run(5, 10).directories, run(10, 25).directories);
    expect([joined.from, joined.to, joined.seconds]).toEqual([5, 25, 2]);
    const text = reliabilityText({ all: [], parts: [], runs: [run(0, 10), run(10, 1250)] });
    expect(text).toContain("in 1 harnesses | 1,250 |");
    expect(text).toContain("| one | 1,250 | 1,250 | 0 | 313 |");
  });

  test("never repeats a case: the seeds of all indexes differ", () => {
    const seeds = new Set(Array.from({ length: 100_000 }, (_, index) => caseSeed(2027, "codecs", index)));
    expect(seeds.size).toBe(100_000);
  });
});
