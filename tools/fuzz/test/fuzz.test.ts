import { describe, expect, test, vi } from "vitest";
import { tryEveryBit } from "../src/exhaustive.js";
import { goldenFiles } from "../src/files/golden-file.js";
import { HARNESSES } from "../src/harnesses/all-harnesses.js";
import { mutateFile } from "../src/mutate-file.js";
import { casesOf, planShards } from "../src/plan-shards.js";
import { Random } from "../src/random.js";
import { runShard } from "../src/run-fuzz.js";

// Each test runs thousands of cases.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** For all harnesses together. */
const CASES = 8000;
const counts = casesOf(HARNESSES, CASES);

describe("every harness", () => {
  test.each(HARNESSES.map((harness) => [harness.name, harness] as const))(
    "%s: returns results or rejects, nothing else",
    async (name, harness) => {
      const to = Math.max(80, counts.get(name) ?? 0);
      const report = await runShard(harness, { seed: 20_000, harness: name, from: 0, to });
      expect(report.crashes).toEqual([]);
      expect(report.results + report.refusals).toBe(to);
      expect(report.results).toBeGreaterThan(0);
    },
  );

  test("has a unique name and a share of each round of a run", () => {
    expect(new Set(HARNESSES.map(({ name }) => name)).size).toBe(HARNESSES.length);
    const shards = planShards(HARNESSES, 1, 1_000_000);
    for (const [name, cases] of casesOf(HARNESSES, 1_000_000)) {
      const own = shards.filter(({ harness }) => harness === name);
      expect(own.length).toBe(25);
      expect(own.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(cases);
      own.forEach(({ from }, i) => {
        expect(from).toBe(i === 0 ? 0 : own[i - 1]?.to);
      });
    }
  });

  test("has small shards when it is slow and runs alone", () => {
    const slow = HARNESSES.filter(({ name }) => name === "Kudu: directories");
    const shards = planShards(slow, 1, 200_000);
    expect(Math.max(...shards.map(({ from, to }) => to - from))).toBeLessThanOrEqual(200);
    expect(shards.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(200_000);
  });

  test("is the same for the same seed", async () => {
    const [file] = await goldenFiles(500);
    if (file !== undefined) {
      expect(mutateFile(file, new Random(5))).toEqual(mutateFile(file, new Random(5)));
    }
    for (const harness of HARNESSES) {
      const ready = await harness.ready();
      const [one, two] = [ready.make(77), ready.make(77)];
      expect(one.bytes).toEqual(two.bytes);
      expect([one.subject, one.steps]).toEqual([two.subject, two.steps]);
    }
  });

  test("a crash is reported with everything needed to reproduce it", async () => {
    const broken = {
      name: "broken",
      share: 1,
      ready: async () => ({
        make: (seed: number) => ({
          subject: "nothing",
          steps: ["a step"],
          bytes: Uint8Array.of(seed & 255),
          run: () => {
            throw new TypeError("not foreseen");
          },
        }),
        replay: () => undefined,
      }),
    };
    const { crashes, results } = await runShard(broken, { seed: 9, harness: "broken", from: 4, to: 5 });
    expect(results).toBe(0);
    expect(crashes).toMatchObject([
      {
        harness: "broken",
        subject: "nothing",
        steps: ["a step"],
        reason: expect.stringContaining("not foreseen"),
      },
    ]);
  });
});

test("every bit and every length of the smallest files", async () => {
  const report = await tryEveryBit(66, 10);
  expect(report.files).toBeGreaterThan(0);
  expect(report.faults).toEqual([]);
});
