import type { CFileError } from "@cfile/bytes";
import { memoryTree } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { openHudiTable, verifyTable } from "../src/index.js";
import { factsOf, goldenTree, TABLES, unpack } from "./golden-table.js";

async function problemsOf(files: ReadonlyMap<string, Uint8Array>, deep = false): Promise<CFileError[]> {
  const problems: CFileError[] = [];
  const table = await openHudiTable(memoryTree(files));
  const report = await verifyTable(table, { deep, onProblem: (problem) => problems.push(problem) });
  expect(report.problemCount).toBe(problems.length);
  expect(report.ok).toBe(problems.length === 0);
  return problems;
}

describe.each(TABLES)("%s", (name) => {
  test("is undamaged, and its indexes agree with its rows", async () => {
    const table = await openHudiTable(goldenTree(name));
    const problems: CFileError[] = [];
    const report = await verifyTable(table, { deep: true, onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
    expect(report).toMatchObject({ ok: true, problemCount: 0, rows: factsOf(name).row_count });
    const pending = new Set(table.timeline.pending);
    expect(report.unnamed.length).toBeGreaterThan(0);
    for (const path of report.unnamed) {
      // Logs of version 6 have the time of the pending compaction in their names.
      expect(
        [...pending].some((time) => path.includes(time)),
        path,
      ).toBe(true);
    }
  });
});

test("incomplete files of killed writers are unnamed, not damaged", async () => {
  const { files } = unpack("cow_v9");
  const left = "region=a%2Fb/day=2026-01-05/0000-0_0-1-1_20261122072300968.parquet";
  files.set(left, new Uint8Array(0));
  const report = await verifyTable(await openHudiTable(memoryTree(files)));
  expect(report).toMatchObject({ ok: true, problemCount: 0 });
  expect(report.unnamed).toContain(left);
});

describe("a damaged table", () => {
  const { files } = unpack("mor_v9");
  const change = (edit: (copy: Map<string, Uint8Array>) => void): Map<string, Uint8Array> => {
    const copy = new Map(files);
    edit(copy);
    return copy;
  };
  const pathOf = (pattern: RegExp): string => {
    const path = [...files.keys()].find((each) => pattern.test(each));
    if (path === undefined) {
      throw new Error(`no file matches ${pattern}`);
    }
    return path;
  };
  const BASE = pathOf(/^2026.*23b1875b.*_20261122072449498\.parquet$/);
  const LOG = pathOf(/^2026.*23b1875b.*_20261122072512895\.log/);

  test("lacks a file that the metadata table names", async () => {
    const problems = await problemsOf(change((copy) => copy.delete(BASE)));
    expect(problems[0]).toMatchObject({ code: "E_BLOCK_MISSING" });
    expect(problems[0]?.path).toContain(BASE);
  });

  test("lacks a log file that a commit and the metadata table name", async () => {
    const problems = await problemsOf(change((copy) => copy.delete(LOG)));
    const missing = problems.filter(({ code, path }) => code === "E_BLOCK_MISSING" && path?.includes(LOG));
    expect(missing.map(({ message }) => /(metadata table|commit \d+) names it/.exec(message)?.[1])).toEqual([
      "metadata table",
      "commit 20261122072512895",
    ]);
  });

  test("has a base file with a flipped byte in a page", async () => {
    const bytes = Uint8Array.from(files.get(BASE) ?? []);
    bytes[40] = (bytes[40] ?? 0) ^ 0x55;
    const problems = await problemsOf(change((copy) => copy.set(BASE, bytes)));
    expect(problems.length).toBeGreaterThan(0);
  });

  test("has a log block with a forged size", async () => {
    const bytes = Uint8Array.from(files.get(LOG) ?? []);
    new DataView(bytes.buffer).setUint32(10, 0x7fffffff);
    const problems = await problemsOf(change((copy) => copy.set(LOG, bytes)));
    expect(problems.map(({ code }) => code)).toContain("E_TRUNCATED");
  });

  test("has a file that is shorter than the metadata table says", async () => {
    const bytes = files.get(LOG) ?? new Uint8Array(0);
    const problems = await problemsOf(change((copy) => copy.set(LOG, bytes.subarray(0, bytes.length - 1))));
    expect(problems.some(({ field }) => field === "size")).toBe(true);
  });

  test("has an HFile with a damaged trailer", async () => {
    const path = pathOf(/metadata\/column_stats\/.*\.hfile$/);
    const bytes = Uint8Array.from(files.get(path) ?? []);
    bytes.fill(0, bytes.length - 4096, bytes.length - 4000);
    const problems = await problemsOf(change((copy) => copy.set(path, bytes)));
    expect(problems.some(({ path: where }) => where?.includes(path))).toBe(true);
  });

  test("has lost the last file group of its record index, and its log files", async () => {
    const lost = /metadata\/record_index\/(.*-0002-|\..*\.log\.|.*_(?!20261122072513061).{17}\.hfile)/;
    const problems = await problemsOf(
      change((copy) => {
        for (const path of files.keys()) {
          if (lost.test(path)) {
            copy.delete(path);
          }
        }
      }),
    );
    expect(problems).toMatchObject([{ code: "E_CORRUPT", field: "file id", actual: "record-index-0002-0" }]);
  });

  test.each(["files", "record_index"])(
    "has a damaged HFile in the partition %s of its metadata table",
    async (partition) => {
      const path = pathOf(new RegExp(`metadata/${partition}/.*_20261122072513061\\.hfile$`));
      const bytes = Uint8Array.from(files.get(path) ?? []);
      bytes.fill(0, 30, 60);
      const problems = await problemsOf(
        change((copy) => copy.set(path, bytes)),
        true,
      );
      expect(problems.some(({ path: where }) => where?.includes(path))).toBe(true);
    },
  );
});
