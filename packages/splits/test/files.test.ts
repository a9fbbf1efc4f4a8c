import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { createCFile, openCFile } from "cfile";
import { datasetFiles } from "cfile/dataset";
import { recoverCFile } from "cfile/recover";
import { describe, expect, it } from "vitest";
import type { FileSplit, Split } from "../src/index.js";
import { type FilePlanOptions, planFiles } from "../src/plan.js";
import { runSplit } from "../src/run.js";
import { open, rowsOf, runAll } from "./run-all.js";

const ROWS = 12_000;
const NAMES = ["id", "name"] as const;

const nameOf = (id: number): string | null =>
  id % 7 === 0 ? null : `name ${id % 1000}`.repeat(1 + (id % 3));

/** Parts of two columns each. */
async function dataset(folder: string, parts: number, rows = ROWS): Promise<string> {
  const entries: { columns: Record<string, string> }[] = [];
  for (let part = 0; part < parts; part++) {
    const columns = { id: `${part}.id.cfile`, name: `${part}.name.cfile` };
    const from = part * rows;
    const id = await createCFile(join(folder, columns.id), {
      type: "INT32",
      blockSize: 4096,
      encoding: "PLAIN_ENCODING",
    });
    await id.append(Int32Array.from({ length: rows }, (_, i) => from + i));
    await id.finish();
    const name = await createCFile(join(folder, columns.name), {
      type: "STRING",
      nullable: true,
      blockSize: 8192,
      encoding: "PLAIN_ENCODING",
    });
    await name.append(Array.from({ length: rows }, (_, i) => nameOf(from + i)));
    await name.finish();
    entries.push({ columns });
  }
  const manifest = join(folder, "dataset.json");
  await writeFile(manifest, JSON.stringify({ version: 1, parts: entries }));
  return manifest;
}

const plan = async (manifest: string, options: Partial<FilePlanOptions> = {}): Promise<FileSplit[]> =>
  (await planFiles(await datasetFiles(manifest), { open, ...options })).filter(isOfFiles);

const isOfFiles = (split: Split): split is FileSplit => split.kind === "cfiles";

describe("splits of a dataset of CFiles", () => {
  it("contain all rows in order and divide no block of the largest column", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 3);
    const target = 60_000;
    const splits = await plan(manifest, { targetBytes: target });
    expect(splits.length).toBeGreaterThan(10);
    for (const { bytes } of splits) {
      expect(bytes).toBeGreaterThanOrEqual(target / 2);
      expect(bytes).toBeLessThanOrEqual(2 * target);
    }
    await using largest = await openCFile(join(folder, "0.name.cfile"));
    const starts = new Set((await largest.listDataBlocks()).map(({ firstRow }) => firstRow));
    const pieces = splits
      .flatMap((split) => split.pieces)
      .filter(({ files }) => files[1]?.path.endsWith("0.name.cfile"));
    for (const { rows } of pieces) {
      expect(starts.has(rows?.from)).toBe(true);
    }
    const rows = await runAll(splits, folder);
    expect(rows).toEqual(Array.from({ length: 3 * ROWS }, (_, id) => [id, nameOf(id)]));
    expect(splits.reduce((sum, split) => sum + split.rows, 0)).toBe(3 * ROWS);
  });

  it("of a file that is listed twice contain its rows twice, in separate files", async () => {
    const folder = temporaryFolder();
    await dataset(folder, 1, 100);
    const path = join(folder, "0.id.cfile");
    const splits = await planFiles(await datasetFiles([path, path]), { open, targetBytes: 100 });
    expect(new Set(splits.map(({ id }) => id)).size).toBe(2);
    expect((await runAll(splits, folder)).length).toBe(200);
  });

  it("group small files up to the target", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 30, 100);
    const target = 20_000;
    const splits = await plan(manifest, { targetBytes: target });
    expect(splits.length).toBeLessThan(15);
    for (const { bytes, pieces } of splits) {
      expect(bytes).toBeGreaterThanOrEqual(target / 2);
      expect(bytes).toBeLessThanOrEqual(2 * target);
      expect(pieces.every(({ rows }) => rows === undefined)).toBe(true);
    }
    expect((await runAll(splits, folder)).length).toBe(3000);
  });

  it("contain only the requested columns and rows and read only their files", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 2);
    const where = () => [
      { column: "id", op: ">=", value: ROWS - 10 } as const,
      { column: "name", op: "prefix", value: "name 9" } as const,
      { column: "id", op: "<", value: 2 * ROWS - 5 } as const,
    ];
    const splits = await plan(manifest, { columns: ["name"], where, targetBytes: 100_000 });
    const expected = Array.from({ length: 2 * ROWS }, (_, id) => ({ id, name: nameOf(id) })).filter(
      ({ id, name }) => id >= ROWS - 10 && id < 2 * ROWS - 5 && name?.startsWith("name 9"),
    );
    expect(await runAll(splits, folder)).toEqual(expected.map(({ name }) => [name]));
    const single = await plan(manifest, { columns: ["id"] });
    expect(
      single.flatMap(({ pieces }) => pieces.flatMap(({ files }) => files.map(({ column }) => column))),
    ).toEqual(["id", "id"]);
    await expect(plan(manifest, { columns: ["no"] })).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  it("throw if a file has changed", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 1, 100);
    const [split] = await plan(manifest);
    if (split === undefined) {
      throw new TypeError("no split");
    }
    const path = join(folder, "0.id.cfile");
    const target = join(folder, "out.parquet");
    await utimes(path, new Date(), new Date(Date.now() + 5000));
    await expect(runSplit(split, target, { open, recover: true })).rejects.toMatchObject({
      code: "E_SOURCE_CHANGED",
      path,
      field: "version",
    });
    await writeFile(path, (await readFile(path)).subarray(1));
    await expect(runSplit(split, target, { open })).rejects.toMatchObject({
      code: "E_SOURCE_CHANGED",
      field: "file size",
    });
    await expect(readFile(target)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

interface Damage {
  readonly name: string;
  readonly change: (bytes: Uint8Array) => Uint8Array;
}

const flipped = (at: number) => (bytes: Uint8Array) => {
  const changed = bytes.slice();
  changed[at] = (changed[at] ?? 0) ^ 0x40;
  return changed;
};

const damages: readonly Damage[] = [
  { name: "a flipped bit in a block", change: flipped(30_000) },
  { name: "a flipped bit in the footer", change: (bytes) => flipped(bytes.length - 20)(bytes) },
  { name: "a file cut short", change: (bytes) => bytes.slice(0, 30_000) },
];

describe("a split of a damaged file", () => {
  it.each(damages)("with $name yields the same rows as recoverCFile", async ({ change }) => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 2);
    const path = join(folder, "1.id.cfile");
    await writeFile(path, change(await readFile(path)));
    const splits = await plan(manifest, { columns: ["id"], targetBytes: 40_000 });
    const sound = splits.filter(({ pieces }) => pieces.every(({ files }) => files[0]?.path !== path));
    expect((await runAll(sound, folder)).length).toBeGreaterThan(0);
    const target = join(folder, "out.parquet");
    const saved: unknown[][] = [];
    let lost = 0;
    let failures = 0;
    const saving = await recoverCFile(path, join(folder, "saved.cfile")).catch(() =>
      recoverCFile(path, join(folder, "saved.cfile"), { type: "INT32" }),
    );
    const whole = splits.filter((split) => !sound.includes(split));
    for (const split of whole) {
      const failure = await runSplit(split, target, { open }).then(
        () => undefined,
        (error: unknown) => error,
      );
      failures += failure === undefined ? 0 : 1;
      const { rowsLost, recovered } = await runSplit(split, target, { open, recover: true });
      lost += rowsLost;
      saved.push(...(await rowsOf(target)).filter(([id]) => Number(id) >= ROWS));
      for (const entry of recovered) {
        expect(entry).toMatchObject({ kind: "file", path, column: "id" });
        expect(entry.kind === "file" && entry.ledger).toEqual(saving.ledger);
      }
      expect(recovered.length).toBe(failure === undefined ? 0 : 1);
    }
    expect(failures).toBeGreaterThan(0);
    await using file = await openCFile(join(folder, "saved.cfile"));
    expect(saved.map(([id]) => id)).toEqual(await file.toArray());
    expect(lost).toBe(saving.ledger.rowsLost);
  });

  it("is not complete without the footer of any of its columns, even if all blocks that are left are valid", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 2);
    for (const name of NAMES) {
      const path = join(folder, `1.${name}.cfile`);
      const bytes = await readFile(path);
      await using file = await openCFile(bytes);
      const { posidx } = await file.layout();
      await writeFile(path, bytes.subarray(0, posidx?.entries[2]?.offset));
    }
    const split = (await plan(manifest, { targetBytes: 100 })).find(({ pieces }) =>
      pieces[0]?.files[0]?.path.endsWith("1.id.cfile"),
    );
    const target = join(folder, "out.parquet");
    const { rows, complete, recovered } = await runSplit(split as Split, target, { open, recover: true });
    expect(rows).toBeGreaterThan(0);
    expect([complete, recovered.length]).toEqual([false, 2]);
  });

  it("omits rows that any of its columns has lost", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 1);
    for (const [name, at] of [
      ["id", 30_000],
      ["name", 60_000],
    ] as const) {
      const path = join(folder, `0.${name}.cfile`);
      await writeFile(path, flipped(at)(await readFile(path)));
    }
    const [split] = await plan(manifest);
    const target = join(folder, "out.parquet");
    const result = await runSplit(split as Split, target, { open, recover: true });
    const { rowsLost, recovered, rows, complete } = result;
    expect([recovered.length, complete]).toEqual([2, false]);
    expect(rows + rowsLost).toBe(ROWS);
    const ledgers = recovered.flatMap((entry) => (entry.kind === "file" ? (entry.ledger ?? []) : []));
    const gone = new Set<number>();
    for (const { blocks } of ledgers) {
      for (const { firstRow = 0, rows: count = 0 } of blocks.filter(({ state }) => state === "lost")) {
        for (let row = firstRow; row < firstRow + count; row++) {
          gone.add(row);
        }
      }
    }
    expect(rowsLost).toBe(gone.size);
    const left = Array.from({ length: ROWS }, (_, id) => id).filter((id) => !gone.has(id));
    expect(await rowsOf(target)).toEqual(left.map((id) => [id, nameOf(id)]));
  });

  it("that is unusable writes a file with the right columns and no rows", async () => {
    const folder = temporaryFolder();
    const manifest = await dataset(folder, 2);
    const path = join(folder, "1.id.cfile");
    await writeFile(path, new Uint8Array(50_000));
    const splits = await plan(manifest, { targetBytes: 100 });
    const split = splits.find(({ pieces }) => pieces[0]?.files[0]?.path === path);
    const target = join(folder, "out.parquet");
    await expect(runSplit(split as Split, target, { open })).rejects.toMatchObject({
      code: expect.stringMatching(/^E_/),
    });
    const { rows, rowsLost, recovered } = await runSplit(split as Split, target, { open, recover: true });
    expect([rows, rowsLost]).toEqual([0, ROWS]);
    expect(recovered).toMatchObject([{ path, column: "id" }]);
    const { openParquet } = await import("@cfile/parquet");
    const file = await openParquet(target);
    expect(file.columns).toMatchObject(NAMES.map((name) => ({ name })));
    await file.close();
  });
});

describe("splits of a golden file", () => {
  it.each(["large_string_prefix_validx", "large_int64_bshuf_null"])(
    "contain all rows of %s",
    async (name) => {
      const folder = temporaryFolder();
      const path = pathToGolden(`${name}.cfile`);
      const splits = await planFiles(await datasetFiles([path]), { open, targetBytes: 20_000 });
      const rows = await runAll(splits, folder);
      await using file = await openCFile(path);
      expect(rows.map(([cell]) => cell)).toEqual(await file.toArray());
    },
  );
});
