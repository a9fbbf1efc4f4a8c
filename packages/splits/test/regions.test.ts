/** Splits of HBase tables and snapshots, one per region. */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openHBaseRoot } from "@cfile/hbase";
import { parseColumnSchema, tableColumns } from "@cfile/hbase/columns";
import { collectRows, pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { parseSplit, splitLine } from "../src/index.js";
import { planRegions } from "../src/plan.js";
import { runSplit } from "../src/run.js";
import { open, runAll } from "./run-all.js";

const ROOT = pathToGolden("hbase-table/root");
const CELLS = "row:string,x:q0:string,x:q1:binary";
const NOW = 1795332480215;
const plan = { root: ROOT, cells: CELLS, withLog: true, now: NOW } as const;

describe("splits of regions", () => {
  it.each(["ns1:split", "merged", "ns1:cloned", "walled"])(
    "of table %s have its rows in order",
    async (name) => {
      await using table = await (await openHBaseRoot(ROOT)).openTable(name);
      const family = table.descriptor.families[0]?.name ?? "";
      const cells = CELLS.replaceAll("x:", `${family}:`);
      const expected = await collectRows(tableColumns(table, parseColumnSchema(cells), { now: NOW }).rows);
      const splits = await planRegions(table, { ...plan, cells });
      expect(splits).toHaveLength(table.regions.length);
      const rows = await runAll(splits, temporaryFolder(), { table });
      expect(rows.map(String)).toEqual(expected.map(String));
      expect(rows.length).toBeGreaterThan(0);
    },
  );

  it("of a snapshot have the rows of a range, at timestamps", async () => {
    await using table = await (await openHBaseRoot(ROOT)).openSnapshot("split_after");
    const options = {
      startRow: "row00050",
      stopRow: "row00300",
      timeRange: { from: 0n, to: 1700000000009n },
    };
    const cells = CELLS.replaceAll("x:", "a:");
    const splits = await planRegions(table, { ...plan, ...options, cells });
    expect(splits.length).toBeGreaterThan(1);
    const rows = await runAll(splits, temporaryFolder(), { table });
    const expected = tableColumns(table, parseColumnSchema(cells), { now: NOW, ...options });
    expect(rows.map(String)).toEqual((await collectRows(expected.rows)).map(String));
    expect(splits.every(({ rows: estimate, bytes }) => estimate > 0 && bytes > 0)).toBe(true);
  });

  it("are read only from the files for which they were planned", async () => {
    const copy = join(temporaryFolder(), "root");
    await cp(ROOT, copy, { recursive: true });
    await using table = await (await openHBaseRoot(copy)).openTable("merged");
    const [split] = await planRegions(table, { ...plan, root: copy });
    const region = table.regions[0]?.encodedName ?? "";
    const [{ family = "", name = "" } = {}] = await table.files(region);
    await rm(join(copy, "data/default/merged", region, family, name));
    await using changed = await (await openHBaseRoot(copy)).openTable("merged");
    const target = join(temporaryFolder(), "part.parquet");
    const run = split && runSplit(split, target, { open, table: changed });
    await expect(run).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
  });

  it("with damage are recovered with a ledger", async () => {
    const copy = join(temporaryFolder(), "root");
    await cp(ROOT, copy, { recursive: true });
    await using table = await (await openHBaseRoot(copy)).openSnapshot("snap1");
    const [split] = await planRegions(table, { ...plan, root: copy });
    const [{ path = "" } = {}] = await table.files(table.regions[0]?.encodedName ?? "");
    await table.close();
    const bytes = await readFile(join(copy, path));
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(join(copy, path), bytes);
    await using damaged = await (await openHBaseRoot(copy)).openSnapshot("snap1");
    const target = join(temporaryFolder(), "part.parquet");
    const sent = await parseSplit(splitLine(split ?? expect.fail()), "line 1");
    const options = { open, table: damaged };
    await expect(runSplit(sent, target, options)).rejects.toMatchObject({ code: "E_CHECKSUM" });
    const { recovered, rowsLost } = await runSplit(sent, target, { ...options, recover: true });
    expect(rowsLost).toBe(1);
    expect(recovered).toMatchObject([{ kind: "region", losses: [{ path, state: "damaged" }] }]);
  });

  it.each([
    [{ root: undefined }, "root"],
    [{ table: "a", snapshot: "b" }, "table"],
    [{ table: undefined }, "table"],
    [{ cells: 7 }, "cells"],
    [{ now: "x" }, "now"],
    [{ timeRange: { from: "1" } }, "timeRange.to"],
    [{ pieces: [{ region: "a" }] }, "pieces[0].files"],
  ])("without valid fields are refused: %j", async (change, field) => {
    await using table = await (await openHBaseRoot(ROOT)).openTable("merged");
    const [split] = await planRegions(table, plan);
    const { id: _, ...json } = JSON.parse(splitLine(split ?? expect.fail()));
    const { splitId } = await import("../src/lines/split-line.js");
    const forged = { ...json, ...change };
    const line = JSON.stringify({ ...forged, id: await splitId(JSON.parse(JSON.stringify(forged))) });
    await expect(parseSplit(line, "line 1")).rejects.toMatchObject({ code: "E_CORRUPT", field });
  });
});
