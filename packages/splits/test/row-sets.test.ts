import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileDirectory } from "@cfile/io/file";
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore, openTableStore, readManifest } from "@cfile/rowset/store";
import { collectRows, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { RowSetSplit, Split } from "../src/index.js";
import { planRowSets, type RowSetPlanOptions, tableOfManifest } from "../src/plan.js";
import { runSplit } from "../src/run.js";
import { open, rowsOf, runAll } from "./run-all.js";

const schema: RowSetSchema = {
  columns: [
    { id: 1, name: "id", type: "INT32", nullable: false, array: false, isKey: true, blockSize: 4096 },
    {
      id: 2,
      name: "word",
      type: "STRING",
      nullable: true,
      array: false,
      isKey: false,
      blockSize: 4096,
      encoding: "PLAIN_ENCODING",
    },
  ],
};
const ROWS = 10_000;
const wordOf = (id: number): string | null => (id % 5 === 0 ? null : `word ${(id * 31) % 997}`);

/** A row set with changes, and a second one whose keys surround those that are deleted in the first. */
async function changedTable(folder: string): Promise<Map<number, string | null>> {
  await mkdir(folder);
  const creation = await createTableStore(folder, schema);
  await creation.appendRows(Array.from({ length: ROWS }, (_, i) => [2 * i, wordOf(2 * i)]));
  await creation.finish();
  const rows = new Map(Array.from({ length: ROWS }, (_, i) => [2 * i, wordOf(2 * i)]));
  await using handle = await openTableStore(folder);
  const some = Array.from({ length: 200 }, (_, i) => 100 * i);
  await handle.update(
    some.map((id) => [id, `changed ${id}`]),
    1000n,
  );
  const gone = some.map((id) => id + 2);
  await handle.delete(
    gone.map((id) => [id]),
    2000n,
  );
  // Reinserted keys and their ghosts are in different row sets.
  const back = [...gone.filter((_, i) => i % 2 === 0), ...some.map((id) => id + 1)];
  await handle.insert(
    back.map((id) => [id, `new ${id}`]),
    3000n,
  );
  for (const id of some) {
    rows.set(id, `changed ${id}`);
  }
  for (const id of gone) {
    rows.delete(id);
  }
  for (const id of back) {
    rows.set(id, `new ${id}`);
  }
  return rows;
}

async function plan(folder: string, options: Partial<RowSetPlanOptions> = {}): Promise<RowSetSplit[]> {
  const table = tableOfManifest(await readManifest(await fileDirectory(folder)), folder);
  return (await planRowSets(table, { open, ...options })).filter(
    (split): split is RowSetSplit => split.kind === "rowset",
  );
}

const sorted = (rows: readonly (readonly unknown[])[]) =>
  rows.toSorted((a, b) => Number(a[0]) - Number(b[0]));

describe("splits of a table store", () => {
  it("contain every live row once, in any snapshot", async () => {
    const folder = temporaryFolder();
    const table = join(folder, "table");
    const rows = await changedTable(table);
    const splits = await plan(table, { targetBytes: 20_000 });
    expect(splits.length).toBeGreaterThan(3);
    for (const { bytes } of splits) {
      expect(bytes).toBeGreaterThanOrEqual(10_000);
      expect(bytes).toBeLessThanOrEqual(40_000);
    }
    expect(sorted(await runAll(splits, folder))).toEqual(sorted([...rows]));
    await using handle = await openTableStore(table);
    for (const asOf of [0n, 1000n, 1001n, 2001n, 3000n, 3001n]) {
      const expected = await collectRows(handle.scan({ asOf }));
      const then = await plan(table, { targetBytes: 50_000, asOf });
      expect(sorted(await runAll(then, folder))).toEqual(expected);
    }
  });

  it("start and end at block boundaries", async () => {
    const folder = temporaryFolder();
    const table = join(folder, "table");
    await changedTable(table);
    const splits = await plan(table, { targetBytes: 20_000 });
    await using handle = await openTableStore(table);
    const [largest] = handle.rowSets;
    const source = largest?.files.columns.get(2);
    const { openCFile } = await import("@cfile/format");
    const starts = new Set(
      source && (await (await openCFile(source)).listDataBlocks()).map(({ firstRow }) => firstRow),
    );
    const pieces = splits.flatMap((split) => split.pieces).filter(({ rowSet }) => rowSet === 0n);
    expect(pieces.every(({ rows }) => rows === undefined || starts.has(rows.from))).toBe(true);
  });

  it("contain only the requested columns and rows", async () => {
    const folder = temporaryFolder();
    const table = join(folder, "table");
    const rows = await changedTable(table);
    const where = () => [
      { column: "id", op: ">=", value: 5000 } as const,
      { column: "word", op: "prefix", value: "word 1" } as const,
    ];
    const splits = await plan(table, { columns: ["word"], where, targetBytes: 30_000 });
    const expected = [...rows].filter(([id, word]) => id >= 5000 && word?.startsWith("word 1"));
    expect((await runAll(splits, folder)).map(([word]) => word).toSorted()).toEqual(
      expected.map(([, word]) => word).toSorted(),
    );
  });

  it("recover a damaged row set and report the losses; without `recover` they throw", async () => {
    const folder = temporaryFolder();
    const table = join(folder, "table");
    const rows = await changedTable(table);
    const manifest = await readManifest(await fileDirectory(table));
    const file = manifest.rowSets[0]?.columns.get(2)?.file ?? "";
    const path = join(table, file);
    const bytes = await readFile(path);
    bytes[50_000] = (bytes[50_000] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const splits = await plan(table, { targetBytes: 40_000 });
    const target = join(folder, "out.parquet");
    let lost = 0;
    let failures = 0;
    const left: unknown[][] = [];
    for (const split of splits) {
      const failure: unknown = await runSplit(split, target, { open }).then(
        () => undefined,
        (error: unknown) => error,
      );
      const { rowsLost, recovered } = await runSplit(split, target, { open, recover: true });
      left.push(...(await rowsOf(target)));
      lost += rowsLost;
      if (failure === undefined) {
        expect([rowsLost, recovered]).toEqual([0, []]);
        continue;
      }
      failures++;
      expect(failure).toMatchObject({ code: "E_CHECKSUM", path });
      const [entry] = recovered;
      expect(entry?.kind === "row set" && entry.account).toMatchObject({ rowSet: 0n, rowsLost });
      expect(
        entry?.kind === "row set" && entry.account.files.find(({ state }) => state === "damaged")?.path,
      ).toBe(path);
    }
    expect(failures).toBe(1);
    expect(lost).toBeGreaterThan(0);
    const expected = new Set([...rows].map((row) => JSON.stringify(row)));
    expect(left.filter((row) => !expected.has(JSON.stringify(row)))).toEqual([]);
    // Deleted rows are among the lost ones.
    expect(left.length).toBeGreaterThanOrEqual(rows.size - lost);
  });

  it("keep the snapshot of the plan, or throw", async () => {
    const folder = temporaryFolder();
    const table = join(folder, "table");
    const rows = await changedTable(table);
    const splits = await plan(table);
    await using handle = await openTableStore(table);
    await handle.update([[0, "later"]], 4000n);
    expect(sorted(await runAll(splits, folder))).toEqual(sorted([...rows]));
    await handle.compact();
    const target = join(folder, "out.parquet");
    await expect(runSplit(splits[0] as Split, target, { open })).rejects.toMatchObject({
      code: "E_NOT_FOUND",
    });
    await handle.dropHistoryBefore(4000n);
    await expect(plan(table, { asOf: 1000n })).rejects.toMatchObject({
      code: "E_HISTORY_GONE",
      field: "asOf",
    });
  });
});
