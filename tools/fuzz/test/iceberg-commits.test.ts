import { expect, test } from "vitest";
import { modelIcebergCommits } from "../src/models/iceberg-commits.js";

test("Iceberg commits that are interrupted or late leave the rows before or after them", async () => {
  const { faults, commits, outcomes } = await modelIcebergCommits(29, 0, 4);
  expect(faults).toEqual([]);
  expect(commits).toBe(24);
  expect(outcomes.committed).toBeGreaterThan(0);
  expect(outcomes["not committed"]).toBeGreaterThan(0);
});
