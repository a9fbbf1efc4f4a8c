/**
 * Tests the comparison of answers that Kudu's client got at different times, and the detection of files
 * rewritten in between.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import type { ClientTable } from "../src/kudu/compare/client-rows.js";
import { compareAnswers } from "../src/kudu/compare/compare-answers.js";
import { readAtRest } from "../src/kudu/compare/read-at-rest.js";
import { KuduServer } from "../src/kudu/kudu-server.js";
import { TableModel } from "../src/kudu/table-model.js";
import type { PlannedColumn } from "../src/kudu/table-plan.js";

const TABLET = "0123456789abcdef0123456789abcdef";

function column(name: string, key: 0 | 1): PlannedColumn {
  const layout = {
    encoding: "PLAIN_ENCODING",
    compression: "NO_COMPRESSION",
    blockSize: 0,
    defaultCell: "?",
  };
  return { name, type: "INT32", key, nullable: false, ...layout, precision: 0, scale: 0, length: 0 };
}

const MODEL = new TableModel({
  name: "t",
  columns: [column("k", 1), column("v", 0)],
  hashes: [],
  splits: [],
});

function answer(state: readonly string[], changes: readonly string[]): ClientTable[] {
  const rows = (of: readonly string[]) => new Map([[TABLET, of]]);
  const snapshots = [{ timestamp: 5n, rows: rows(state) }];
  return [{ name: "t", columns: ["k", "v"], snapshots, diffs: [{ from: 1n, to: 5n, rows: rows(changes) }] }];
}

describe("answers before and after a flush", () => {
  const before = answer(["1\t1"], ["1\t1\t0", "2\t7\t1"]);

  test("cells of a deleted row may differ, and are counted", () => {
    const { failures, counts } = compareAnswers(before, answer(["1\t1"], ["1\t1\t0", "2\t9\t1"]), [MODEL]);
    expect(failures).toEqual([]);
    expect(Object.values(counts ?? {})).toEqual([1]);
  });

  test.each([
    ["its key", answer(["1\t1"], ["1\t1\t0", "3\t7\t1"])],
    ["that it is deleted", answer(["1\t1"], ["1\t1\t0", "2\t7\t0"])],
    ["a row that is there", answer(["1\t1"], ["1\t2\t0", "2\t7\t1"])],
    ["a row less", answer(["1\t1"], ["1\t1\t0"])],
    ["a row of a state that ends in 1", answer(["1\t0"], ["1\t1\t0", "2\t7\t1"])],
    ["no answer", []],
  ])("nothing else may differ: %s", (_, after) => {
    expect(compareAnswers(before, after, [MODEL]).failures.length).toBeGreaterThan(0);
  });
});

describe("reading at rest", () => {
  let folder = "";
  let server: KuduServer;

  beforeEach(async () => {
    folder = temporaryFolder();
    server = new KuduServer({ home: folder, folder, blockManager: "file", encrypted: false });
    await mkdir(join(server.dataFolder, "tablet-meta"), { recursive: true });
    await rewrite(0);
  });

  const rewrite = (version: number) =>
    writeFile(join(server.dataFolder, "tablet-meta", TABLET), `superblock ${version}`);

  test("reads again until no superblock was rewritten meanwhile", async () => {
    let asked = 0;
    const last = await readAtRest(server, async () => {
      asked++;
      await rewrite(Math.min(asked, 3));
      return asked;
    });
    expect(last).toBe(4);
  });

  test("ends when the server never stops rewriting", async () => {
    let asked = 0;
    await expect(readAtRest(server, () => rewrite(++asked))).rejects.toThrow("keeps rewriting");
  });
});
