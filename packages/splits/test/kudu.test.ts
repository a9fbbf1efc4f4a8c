import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KuduTablet, openKuduDir } from "@cfile/kudu-dir";
import type { RowSetAccount } from "@cfile/kudu-dir/recover";
import { loadRowSets, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { collectRows, pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { RowSetSplit, Split } from "../src/index.js";
import { type KuduPlanOptions, planKudu } from "../src/plan.js";
import { runSplit } from "../src/run.js";
import { open, rowsOf, runAll } from "./run-all.js";

const golden = pathToGolden("servers/");

async function plan(
  path: string,
  table: string,
  options: Partial<KuduPlanOptions> = {},
): Promise<RowSetSplit[]> {
  await using dir = await openKuduDir(path);
  const { tablets } = await dir.table(table);
  const splits = await planKudu(dir, tablets, { dirs: [path], ...options });
  return splits.filter((split): split is RowSetSplit => split.kind === "kudu");
}

async function scanned(tablets: readonly KuduTablet[], asOf?: bigint): Promise<unknown[][]> {
  let rows: unknown[][] = [];
  for (const tablet of tablets) {
    rows = rows.concat(await collectRows(tablet.scan({ asOf })));
  }
  return rows;
}

const texts = (rows: readonly unknown[]): string[] =>
  rows
    .map((row) =>
      JSON.stringify(row, (_key, cell: unknown) => (typeof cell === "bigint" ? `${cell}n` : cell)),
    )
    .toSorted();

describe("splits of the directories of a Kudu server", () => {
  it.each(["log", "file", "encrypted"])(
    "of block manager %s contain all rows of every table",
    async (manager) => {
      const path = join(golden, manager);
      const folder = temporaryFolder();
      await using dir = await openKuduDir(path);
      for (const { name, tablets } of await dir.tables()) {
        const splits = await plan(path, name, { targetBytes: 3000 });
        const rows = await runAll(splits, folder, { dir });
        const expected = await scanned(tablets.filter(({ state }) => state === "ready"));
        // For types that Parquet and CFiles represent differently, only the number of rows is compared.
        expect(rows.length).toBe(expected.length);
        if (!/types|array|decimal/.test(name)) {
          expect(texts(rows)).toEqual(texts(expected));
        }
      }
    },
  );

  it("contain the rows of an earlier snapshot", async () => {
    const path = join(golden, "log");
    const folder = temporaryFolder();
    await using dir = await openKuduDir(path);
    const tablet = await dir.tablet("history");
    const versions = await tablet.history([-44112], { columns: ["id"] });
    for (const { timestamp = 0n } of versions) {
      const asOf = timestamp + 1n;
      const splits = await plan(path, "history", { asOf });
      expect(texts(await runAll(splits, folder, { dir }))).toEqual(texts(await scanned([tablet], asOf)));
    }
  });

  it("divide large row sets at block boundaries and group small ones", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "server");
    const server = await syntheticServer(path, { disks: 2, blockManager: "log" });
    await server.add({
      table: "t",
      schema: loadSchema,
      bucket: 0,
      buckets: 2,
      rowSets: loadRowSets(80_000, 2, 0.01),
    });
    await server.add({
      table: "t",
      schema: loadSchema,
      bucket: 1,
      buckets: 2,
      rowSets: loadRowSets(600, 20, 0.1),
    });
    await server.finish();
    const target = 400_000;
    const splits = await plan(path, "t", { targetBytes: target });
    const pieces = splits.map((split) => split.pieces.length);
    expect(Math.max(...pieces)).toBeGreaterThan(15);
    expect(splits.some((split) => split.pieces.some(({ rows }) => rows !== undefined))).toBe(true);
    for (const { bytes } of splits) {
      expect(bytes).toBeGreaterThanOrEqual(target / 2);
      expect(bytes).toBeLessThanOrEqual(2 * target);
    }
    await using dir = await openKuduDir(path);
    const { tablets } = await dir.table("t");
    expect(texts(await runAll(splits, folder, { dir }))).toEqual(texts(await scanned(tablets)));
  });

  it("throw if the tablet has changed", async () => {
    const folder = temporaryFolder();
    const [path, other] = [join(folder, "server"), join(folder, "other")];
    for (const [place, changed] of [
      [path, 0],
      [other, 0.5],
    ] as const) {
      const server = await syntheticServer(place, { disks: 1, blockManager: "log" });
      await server.add({ table: "t", schema: loadSchema, rowSets: loadRowSets(100, 2, changed) });
      await server.finish();
    }
    const [split] = await plan(path, "t");
    await using dir = await openKuduDir(path);
    const target = join(folder, "out.parquet");
    await runSplit(split as Split, target, { open, dir });
    const superblock = join("wal", "tablet-meta", split?.pieces[0]?.tablet ?? "");
    await cp(join(other, superblock), join(path, superblock));
    const changed = { code: "E_SOURCE_CHANGED", field: "row set" };
    await expect(runSplit(split as Split, target, { open, dir, recover: true })).rejects.toMatchObject(
      changed,
    );
    await rm(join(path, superblock));
    await expect(runSplit(split as Split, target, { open, dir })).rejects.toMatchObject(changed);
    expect((await rowsOf(target)).length).toBe(100);
  });

  it.each([
    ["log", "history"],
    ["file", "small"],
  ])("of block manager %s recover damaged blocks and report the losses", async (manager, table) => {
    const folder = temporaryFolder();
    const path = join(folder, "server");
    await cp(join(golden, manager), path, { recursive: true });
    const [split] = await plan(path, table);
    const file = split?.pieces[0]?.columns.get(1) ?? split?.pieces[0]?.columns.values().next().value;
    if (split === undefined || file === undefined) {
      throw new TypeError("no split");
    }
    const bytes = await readFile(file.path);
    const at = (file.block?.offset ?? 0) + 60;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(file.path, bytes);
    await using dir = await openKuduDir(path);
    const target = join(folder, "out.parquet");
    await expect(runSplit(split, target, { open, dir })).rejects.toMatchObject({ code: "E_CHECKSUM" });
    const { rowsLost, recovered } = await runSplit(split, target, { open, dir, recover: true });
    const tablet = await dir.tablet(split.pieces[0]?.tablet ?? "");
    const accounts: RowSetAccount[] = [];
    const left = await collectRows(tablet.recover({}, (account) => accounts.push(account)));
    expect(rowsLost).toBe(accounts[0]?.rowsLost);
    expect(recovered).toEqual([{ kind: "row set", tablet: tablet.id, account: accounts[0] }]);
    expect(texts(await rowsOf(target))).toEqual(texts(left));
  });

  it("report missing blocks when they are read", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "server");
    await cp(join(golden, "file"), path, { recursive: true });
    const [split] = await plan(path, "small");
    const gone = split?.pieces[0]?.columns.values().next().value?.path ?? "";
    await rm(gone);
    const [late, ...others] = await plan(path, "small");
    await using dir = await openKuduDir(path);
    expect(others).toEqual([]);
    const target = join(folder, "out.parquet");
    for (const one of [split, late]) {
      await expect(runSplit(one as Split, target, { open, dir })).rejects.toMatchObject({
        code: "E_BLOCK_MISSING",
      });
    }
    const { recovered } = await runSplit(late as Split, target, { open, dir, recover: true });
    expect(recovered).toMatchObject([{ kind: "row set" }]);
  });
});
