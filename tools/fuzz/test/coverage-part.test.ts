import { expect, test } from "vitest";
import { coverageResult } from "../src/report/damage-parts.js";

const LINES =
  "varint: 100.0 % of 40 branches\nformat: 98.6 % of 1000 branches\n  packages/format/src/a.ts:1 (if) why\n";

test("the coverage of decoders is a line with all packages", () => {
  expect(coverageResult({ status: 0, stdout: LINES, stderr: "" })).toEqual({
    faults: [],
    tried: [expect.objectContaining({ often: "1,040", found: "`varint` 100.0 %, `format` 98.6 %" })],
  });
});

test.each([
  [1, "    throw new Error();\nError: tests of kudu-dir failed:\n", "Error: tests of kudu-dir failed:"],
  [1, "", "see `pnpm coverage`"],
  [null, "", "see `pnpm coverage`"],
])("a run with exit code %s is a fault: packages may be missing", (status, stderr, reason) => {
  const { faults } = coverageResult({ status, stdout: LINES, stderr });
  expect(faults).toEqual([`coverage of the decoders: exit code ${status}: ${reason}`]);
});
