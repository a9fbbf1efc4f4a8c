import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../src/options.js";
import { addChecks, addRound, seedAfter } from "../src/report.js";

describe("the command line", () => {
  it("defaults to all systems and three rounds", () => {
    expect(parseOptions([])).toMatchObject({
      systems: ["kudu", "restore", "hbase", "hudi", "parquet", "spark"],
      seed: 1,
      rounds: 3,
      jobs: 1,
      goOn: false,
    });
    expect(parseOptions(["--only", "hudi", "--seed", "9", "--rounds", "20"])).toMatchObject({
      systems: ["hudi"],
      seed: 9,
      rounds: 20,
    });
  });

  it.each([[["--only", "nothing"]], [["--seed", "-1"]], [["--what"]], [["--jobs", "0"]]])(
    "rejects %j",
    (args) => {
      expect(() => parseOptions(args)).toThrow();
    },
  );
});

describe("the results of rounds", () => {
  it("have consecutive seeds", () => {
    const none = {
      system: "kudu",
      version: "1",
      firstSeed: 7,
      rounds: 0,
      seconds: 0,
      checks: [],
      failedSeeds: [],
    } as const;
    const check = { what: "a", cases: 1, rows: 2, failures: [] };
    const one = addRound(none, [check], 3);
    const two = addRound(one, [{ ...check, failures: ["x"] }], 5);
    expect(seedAfter(two)).toBe(9);
    expect(two).toMatchObject({ rounds: 2, seconds: 5, failedSeeds: [8] });
    expect(two.checks).toEqual([{ what: "a", cases: 2, rows: 4, failures: ["x"], counts: {} }]);
  });

  it("are added", () => {
    const first = { what: "a", cases: 2, rows: 3, failures: ["x"], counts: { equal: 1 } };
    const sum = addChecks(
      [first],
      [
        { ...first, failures: [] },
        { what: "b", cases: 1, rows: 1, failures: [] },
      ],
    );
    expect(sum).toEqual([
      { what: "a", cases: 4, rows: 6, failures: ["x"], counts: { equal: 2 } },
      { what: "b", cases: 1, rows: 1, failures: [], counts: {} },
    ]);
  });
});

describe("without Java", () => {
  it("reports in one line what is missing, and exits with a separate code", () => {
    const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
    const env = { PATH: dirname(main) };
    const { status, stdout } = spawnSync(process.execPath, [main], {
      env,
      encoding: "utf8",
      timeout: 25_000,
    });
    expect(status).toBe(77);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stdout).toContain("skipped: ");
  });
});
