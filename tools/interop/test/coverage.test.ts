import { describe, expect, it } from "vitest";
import { addCoverage, coverageLines, coverageOf, noneOf } from "../src/coverage.js";

describe("coverage", () => {
  const first = { codecs: { ...noneOf(["LZ4", "ZLIB", "SNAPPY"]), LZ4: 1200 } };
  const second = {
    codecs: { ...noneOf(["LZ4", "ZLIB", "SNAPPY"]), LZ4: 34, SNAPPY: 1 },
    servers: { killed: 0 },
  };

  it("is added by group and item", () => {
    expect(addCoverage(first, second)).toEqual({
      codecs: { LZ4: 1234, SNAPPY: 1, ZLIB: 0 },
      servers: { killed: 0 },
    });
    const check = { what: "a", cases: 1, rows: 0, failures: [] };
    expect(coverageOf([check, { ...check, occurred: first }, { ...check, occurred: first }])).toEqual({
      codecs: { LZ4: 2400, SNAPPY: 0, ZLIB: 0 },
    });
  });

  it("reports what occurred and what never did", () => {
    expect(coverageLines(addCoverage(first, second))).toEqual([
      "codecs: LZ4 1,234, SNAPPY 1; never: ZLIB",
      "servers: nothing; never: killed",
    ]);
  });
});
