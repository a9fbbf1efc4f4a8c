/** Splits of Hudi tables by file slices. */
import { gunzipSync } from "node:zlib";
import { flatColumns, flatRows, type HudiTable, openHudiTable, scanColumns, scanRows } from "@cfile/hudi";
import { memoryTree } from "@cfile/io";
import { collectRows, readGolden, temporaryFolder, unpackTar } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { planHudi } from "../src/plan.js";
import { runSplit } from "../src/run.js";
import { open, runAll } from "./run-all.js";

function goldenFiles(name: string): Map<string, Uint8Array> {
  return unpackTar(gunzipSync(readGolden(`hudi-table/${name}.tar.gz`))).files;
}

async function scanned(table: HudiTable, asOf?: string): Promise<string[]> {
  const columns = flatColumns(await scanColumns(table, { asOf, baseOnly: false })).map(({ name }) => name);
  return (await collectRows(flatRows(scanRows(table, { columns, asOf })))).map(String).sort();
}

const path = "/tables/t";

describe.each(["cow_v9", "mor_v9", "mor_v8_flat", "mor_v6_h015"])("splits of %s", (name) => {
  const tree = memoryTree(goldenFiles(name), name);

  it("contain its rows, whatever the target size", async () => {
    await using table = await openHudiTable(tree);
    const expected = await scanned(table);
    const counts: number[] = [];
    for (const targetBytes of [1 << 28, 30_000]) {
      const splits = await planHudi(table, { table: path, targetBytes });
      counts.push(splits.length);
      const rows = await runAll(splits, temporaryFolder(), { hudi: table });
      expect(rows.map(String).sort()).toEqual(expected);
    }
    expect(counts[0]).toBe(1);
    expect(counts[1]).toBeGreaterThan(1);
  });

  it("select rows by conditions on text", async () => {
    await using table = await openHudiTable(tree);
    const where = () => [{ column: "id", op: "<", value: "b" } as const];
    const splits = await planHudi(table, { table: path, columns: ["id"], where });
    const rows = await runAll(splits, temporaryFolder(), { hudi: table });
    const all = await collectRows(flatRows(scanRows(table, { columns: ["id"] })));
    const expected = all.map(String).filter((id) => id < "b");
    expect(expected.length).toBeGreaterThan(0);
    expect(rows.map(String).sort()).toEqual(expected.sort());
  });
});

describe("a split of a Hudi table", () => {
  it("keeps its rows when the table is written later", async () => {
    const files = goldenFiles("mor_v8_flat");
    const late = [...files.keys()].filter((name) => name.includes("20261122072626224"));
    expect(late.length).toBeGreaterThan(1);
    const early = memoryTree(new Map([...files].filter(([name]) => !late.includes(name))), "t");
    await using before = await openHudiTable(early);
    const splits = await planHudi(before, { table: path });
    await using after = await openHudiTable(memoryTree(files, "t"));
    const rows = await runAll(splits, temporaryFolder(), { hudi: after });
    expect(rows.map(String).sort()).toEqual(await scanned(before));
  });

  it("is rejected when one of its files has changed or is gone", async () => {
    const files = goldenFiles("mor_v9");
    await using table = await openHudiTable(memoryTree(files, "t"));
    const [split] = await planHudi(table, { table: path });
    const piece = split?.pieces.find(({ base }) => base !== undefined);
    const changed = `${piece?.partition}/${piece?.base?.path}`;
    for (const [bytes, code] of [
      [new Uint8Array(7), "E_SOURCE_CHANGED"],
      [undefined, "E_NOT_FOUND"],
    ] as const) {
      const others = new Map(files);
      others.delete(changed);
      await using later = await openHudiTable(
        memoryTree(bytes === undefined ? others : others.set(changed, bytes), "t"),
      );
      const run = split && runSplit(split, `${temporaryFolder()}/part.parquet`, { open, hudi: later });
      await expect(run).rejects.toMatchObject({ code });
    }
  });
});
