import { describe, expect, test } from "vitest";
import { compareCommands } from "../src/tolerance/compare-commands.js";
import { compareReaders } from "../src/tolerance/compare-readers.js";
import { TABLE_READERS } from "../src/tolerance/table-readers.js";
import { FILE_READERS } from "../src/tolerance/tolerant-readers.js";

const CASES: Readonly<Record<string, number>> = {
  CFile: 40,
  HFile: 90,
  Parquet: 12,
  "HBase table": 5,
  "splits of a CFile": 40,
  "Kudu tablet": 12,
  "Iceberg table": 40,
};

describe("damaged input of", () => {
  test.each([...FILE_READERS, ...TABLE_READERS].map((reader) => [reader.name, reader] as const))(
    "%s is an error, or read with an exact account, by library and command",
    async (name, reader) => {
      const report = await compareReaders(reader, 29, CASES[name] ?? 0, compareCommands);
      expect(report.faults).toEqual([]);
      expect(reader.tolerant === undefined ? report.refused : report.tolerated).toBeGreaterThan(0);
    },
  );
});
