import type { Progress } from "@cfile/bytes";
import { readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { verifyRowSet } from "../src/verify.js";
import { collectRows, openTablet, serverTablets } from "./server-tablets.js";

const cases = ["cluster-file", "cluster-log", "tablet"].flatMap((folder) =>
  serverTablets(folder).flatMap((tablet) =>
    tablet.rowSets.map((files, i) => ({
      name: `${folder} ${tablet.table} ${tablet.id.slice(0, 6)}, row set ${i}`,
      files,
      schema: tablet.schema,
      liveRowCount: tablet.liveRowCounts[i],
    })),
  ),
);

describe("verifyRowSet", () => {
  it.each(cases)("finds no problem in $name", async ({ files, schema, liveRowCount }) => {
    const progress: Progress[] = [];
    const onProgress = (now: Progress): void => void progress.push(now);
    const report = await verifyRowSet(files, schema, { liveRowCount, onProgress });
    expect(progress).toEqual(progress.map((_, done) => ({ done, total: report.files })));
    expect(report).toMatchObject({ ok: true, problems: [], problemCount: 0, liveRows: liveRowCount });
    expect(report.files).toBe(
      files.columns.size + files.redo.length + files.undo.length + (files.adhocIndex ? 2 : 1),
    );
  });
});

describe("the tablet with a key of three columns", () => {
  it("has the latest rows", async () => {
    const [tablet] = serverTablets("tablet");
    if (tablet === undefined) {
      throw new TypeError("no tablet");
    }
    const rows = readGoldenJson("tablet/latest_rows.json");
    const reader = await openTablet(tablet);
    const found: unknown[] = [];
    for (const rowSet of reader.rowSets) {
      found.push(...(await collectRows(rowSet.scan({ batchRows: 100 }))));
    }
    expect(found).toEqual(rows);
  });
});
