/** Splits of tablets by ranges of their keys. */

import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { openKuduDir } from "@cfile/kudu-dir";
import { parseLogSegment } from "@cfile/kudu-dir/log";
import { loadRowSets, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { collectRows, pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { TabletSplit } from "../src/index.js";
import { planTablets, wholeSplit } from "../src/plan.js";
import { runSplit, writeSplit } from "../src/run.js";
import { open, rowsOf, runAll } from "./run-all.js";

const golden = pathToGolden("servers/");
const LOG = join(golden, "log");

async function scanned(
  table: string,
  options: { withLog?: boolean; asOf?: bigint } = {},
): Promise<unknown[]> {
  await using dir = await openKuduDir(LOG);
  let rows: unknown[][] = [];
  for (const tablet of (await dir.table(table)).tablets) {
    rows = rows.concat(await collectRows(tablet.scan(options)));
  }
  return rows;
}

describe("splits of tablets", () => {
  it.each(["keys_composite", "altered", "types_flushed", "history"])(
    "of table %s contain its rows in key order, whatever the target size",
    async (table) => {
      await using dir = await openKuduDir(LOG);
      const { tablets } = await dir.table(table);
      const expected = await scanned(table);
      for (const targetRows of [1 << 20, 7]) {
        const splits = await planTablets(tablets, { dirs: [LOG], targetRows });
        expect(splits.length >= tablets.length).toBe(true);
        const rows = await runAll(splits, temporaryFolder(), { dir });
        expect(rows.length).toBe(expected.length);
        expect(rows.map(String)).toEqual(expected.map((row) => String(row)));
      }
    },
  );

  it("include unflushed writes and earlier snapshots", async () => {
    await using dir = await openKuduDir(LOG);
    const { tablets } = await dir.table("unflushed");
    for (const options of [{ withLog: true }, { asOf: 7353264155280543745n, withLog: true }]) {
      const splits = await planTablets(tablets, { dirs: [LOG], targetRows: 7, ...options });
      expect(splits.length).toBe(1);
      const rows = await runAll(splits, temporaryFolder(), { dir });
      expect(rows.map(String)).toEqual((await scanned("unflushed", options)).map(String));
    }
  });

  it.each(["keys_composite", "types_flushed"])(
    "of table %s are several per tablet with the log, which has few writes",
    async (table) => {
      await using dir = await openKuduDir(LOG);
      const { tablets } = await dir.table(table);
      const splits = await planTablets(tablets, { dirs: [LOG], targetRows: 7, withLog: true });
      expect(splits.length).toBeGreaterThan(tablets.length);
      const rows = await runAll(splits, temporaryFolder(), { dir });
      expect(rows.map(String)).toEqual((await scanned(table, { withLog: true })).map(String));
    },
  );

  it.each([
    { keyColumns: 1, keyLength: 8, hasCutKeys: false },
    { keyColumns: 3, keyLength: 28, hasCutKeys: true },
  ])(
    "of a tablet with $keyColumns key columns are divided between blocks, at keys of the value index",
    async ({ keyColumns, keyLength, hasCutKeys }) => {
      const path = join(temporaryFolder(), "server");
      const server = await syntheticServer(path, { disks: 1, blockManager: "log" });
      const columns = loadSchema.columns.map((column, i) => ({
        ...column,
        isKey: i < keyColumns,
      }));
      await server.add({ table: "t", schema: { columns }, rowSets: loadRowSets(1_000_000, 8, 0) });
      await server.finish();
      await using dir = await openKuduDir(path);
      const { tablets } = await dir.table("t");
      const splits = await planTablets(tablets, { dirs: [path], targetRows: 340_000 });
      expect(splits).toHaveLength(3);
      let total = 0;
      let isCut = false;
      for (const { pieces } of splits) {
        const [{ from, to } = { from: undefined, to: undefined }] = pieces;
        let rows = 0;
        for await (const batch of tablets[0]?.scan({ keys: { from, to }, columns: ["key"] }) ?? []) {
          expect(batch.columns[0]?.get(0)).toBe(BigInt(total + rows));
          rows += batch.length;
        }
        isCut ||= from !== undefined && from.length < keyLength;
        expect(rows).toBeGreaterThan(290_000);
        total += rows;
      }
      expect(total).toBe(1_000_000);
      expect(isCut).toBe(hasCutKeys);
    },
  );

  it("contain only the requested columns and rows", async () => {
    await using dir = await openKuduDir(LOG);
    const { tablets } = await dir.table("history");
    const splits = await planTablets(tablets, {
      dirs: [LOG],
      columns: ["n", "id"],
      where: () => [{ column: "id", op: "<", value: -48000 }],
      targetRows: 10,
    });
    expect(await runAll(splits, temporaryFolder(), { dir })).toEqual([
      [1008, -50000],
      [-28171, -49087],
      [-39973, -48174],
    ]);
  });

  it("throw if the tablet's blocks have changed", async () => {
    await using dir = await openKuduDir(LOG);
    const { tablets } = await dir.table("history");
    const [split] = await planTablets(tablets, { dirs: [LOG] });
    if (split === undefined) {
      throw new Error("no split");
    }
    const other = { ...split, pieces: split.pieces.map((piece) => ({ ...piece, blocks: "0" })) };
    await expect(
      runSplit(other, join(temporaryFolder(), "x.parquet"), { open, dir, recover: true }),
    ).rejects.toMatchObject({
      code: "E_SOURCE_CHANGED",
      field: "blocks",
    });
  });

  it("throw if damaged; whole tablets are recovered with a report of the losses", async () => {
    const path = join(temporaryFolder(), "server");
    await cp(join(golden, "file"), path, { recursive: true });
    await using dir = await openKuduDir(path);
    const { tablets } = await dir.table("small");
    const [tablet] = tablets;
    const column = tablet?.schema.columns[1]?.id ?? -1;
    const block = await dir.block(tablet?.rowSets[0]?.blocks.columns.get(column) ?? 0n);
    const bytes = await readFile(block.path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(block.path, bytes);
    const splits = await planTablets(tablets, { dirs: [path], targetRows: 40 });
    const [first] = splits;
    if (first === undefined) {
      throw new Error("no split");
    }
    expect(splits.length).toBeGreaterThan(1);
    const target = join(temporaryFolder(), "x.parquet");
    await expect(runSplit(first, target, { open, dir, recover: true })).rejects.toMatchObject({
      code: "E_CHECKSUM",
    });
    const whole = await wholeSplit(first);
    expect((await wholeSplit(whole)).id).toBe(whole.id);
    const { rows, rowsLost, recovered } = await runSplit(whole, target, { open, dir, recover: true });
    expect(recovered).toMatchObject([{ kind: "row set", tablet: tablet?.id, account: { rowsLost } }]);
    expect(rowsLost).toBeGreaterThan(0);
    expect((await rowsOf(target)).length).toBe(rows);
    let written = 0;
    const again = await writeSplit(whole, { open, dir, recover: true, keepBatches: true }, async (table) => {
      written = 0;
      for await (const { length } of table.rows) {
        written += length;
      }
    });
    expect([written, again.rowsLost, again.complete]).toEqual([rows, rowsLost, false]);
  });

  it("are not complete if operations of the log are lost, although no row of a file is", async () => {
    const path = join(temporaryFolder(), "server");
    await cp(LOG, path, { recursive: true });
    await using whole = await openKuduDir(path);
    const { tablets } = await whole.table("unflushed");
    const [split] = await planTablets(tablets, { dirs: [path], withLog: true });
    const [tablet = ""] = tablets.map(({ id }) => id);
    const folder = join(path, "ts", "wal", "wals", tablet);
    const segment = join(
      folder,
      (await readdir(folder)).filter((name) => name.startsWith("wal-")).sort()[0] ?? "",
    );
    const bytes = await readFile(segment);
    const entries = parseLogSegment(bytes, segment).entries;
    const at = (entries[Math.floor(entries.length / 2)]?.offset ?? 0) + 20;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(segment, bytes);
    await using dir = await openKuduDir(path);
    const target = join(temporaryFolder(), "x.parquet");
    const options = { open, dir };
    await expect(runSplit(split as TabletSplit, target, options)).rejects.toMatchObject({
      code: "E_CHECKSUM",
    });
    const result = await runSplit(split as TabletSplit, target, { ...options, recover: true });
    expect(result).toMatchObject({ rowsLost: 0, complete: false });
    expect(result.recovered).toMatchObject([{ kind: "tablet", ledger: { snapshot: "earlier" } }]);
  });
});
