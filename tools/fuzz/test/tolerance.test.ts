import { describe, expect, test } from "vitest";
import { compareCommands, READERS } from "../src/tolerance/all-readers.js";
import { compareReaders } from "../src/tolerance/compare-readers.js";

/** Readers that open many files for each case have fewer. */
const CASES: Readonly<Record<string, number>> = {
  HFile: 90,
  Parquet: 12,
  "Hudi table": 4,
  "Kudu tablet": 10,
  "Kudu tablet, row sets left out": 24,
  "Kudu table of a server": 8,
  "Kudu cluster, three replicas": 2,
  "splits of a table store": 20,
  "splits of Kudu's row sets": 20,
};
const FEW = 6;
const MANY = 40;
const SLOW = /HBase|cluster/;

describe("damaged input of", () => {
  test.each(READERS.map((reader) => [reader.name, reader] as const))(
    "%s is an error, or read with an exact account, by library and command",
    async (name, reader) => {
      const report = await compareReaders(
        reader,
        29,
        CASES[name] ?? (SLOW.test(name) ? FEW : MANY),
        compareCommands,
      );
      expect(report.faults).toEqual([]);
      const { refused, tolerated, unchanged } = report;
      // Another replica has what one has lost.
      const isReplicated = name.includes("three replicas");
      expect(isReplicated ? unchanged : reader.tolerant === undefined ? refused : tolerated).toBeGreaterThan(
        0,
      );
    },
  );
});
