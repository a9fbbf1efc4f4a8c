/** Parts of a Parquet file are joined by a thread, in order, while others are being written. Threads need the built code. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openSource } from "@cfile/io";
import { openKuduDir } from "@cfile/kudu-dir";
import { joinParquet } from "@cfile/parquet/write";
import type { Split } from "@cfile/splits";
import { planTablets } from "@cfile/splits/plan";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { EarlyJoin } from "../dist/export/early-join.js";
import { ExportParts, type PartReport } from "../dist/export/export-parts.js";
import { output } from "./run.js";

const PARTS = 3;
const REPORT: PartReport = { rows: 1, checksum: 0, accounts: [], ledgers: [], losses: [], notices: [] };

interface Written {
  readonly folder: string;
  readonly target: string;
  readonly splits: readonly Split[];
  readonly parts: ExportParts;
}

/** Writes the files of parts, without marking any as complete. */
async function writtenParts(): Promise<Written> {
  const path = pathToGolden("servers/log");
  await using dir = await openKuduDir(path);
  const { tablets } = await dir.table("keys_composite");
  const planned = await planTablets(tablets, { dirs: [path], targetRows: 7 });
  const splits = planned.slice(0, PARTS);
  const folder = temporaryFolder();
  const parts = await ExportParts.open(join(folder, "t.parquet.parts"), { form: "parquet" }, splits);
  for (const [i, split] of splits.entries()) {
    const csv = join(temporaryFolder(), "part.csv");
    await writeFile(csv, `id,name\n${i},row ${i}\n`);
    await output(["convert", csv, parts.path(split)]);
  }
  return { folder, target: join(folder, "t.parquet"), splits, parts };
}

async function joined({ parts, splits }: Written): Promise<Uint8Array> {
  const path = join(temporaryFolder(), "expected.parquet");
  await joinParquet(path, await Promise.all(splits.map((split) => openSource(parts.path(split)))));
  return readFile(path);
}

describe("an early join", () => {
  it.each([
    { complete: "in order", before: 0, order: [0, 1, 2] },
    { complete: "last part first", before: 0, order: [2, 1, 0] },
    { complete: "two parts before the start", before: 2, order: [1, 2, 0] },
    { complete: "all parts before the start", before: 3, order: [0, 1, 2] },
  ])("copies the parts in the order of the splits; complete: $complete", async ({ before, order }) => {
    const written = await writtenParts();
    const { parts, splits, target } = written;
    let early: EarlyJoin | undefined;
    for (const [n, i] of order.entries()) {
      early ??= n === before ? new EarlyJoin(target, parts, splits) : undefined;
      await parts.complete(splits[i] as Split, REPORT);
    }
    early ??= new EarlyJoin(target, parts, splits);
    expect(await early.finish(splits)).toBe(true);
    expect(await readFile(target)).toEqual(await joined(written));
  });

  it("leaves no file when a part was replaced by another", async () => {
    const { folder, parts, splits, target } = await writtenParts();
    const early = new EarlyJoin(target, parts, splits);
    await parts.complete(splits[0] as Split, REPORT);
    expect(await early.finish(splits.slice(0, 2))).toBe(false);
    expect(await readdir(folder)).toEqual(["t.parquet.parts"]);
  });

  it("leaves no file when it is abandoned, whatever is complete", async () => {
    const { folder, parts, splits, target } = await writtenParts();
    const early = new EarlyJoin(target, parts, splits);
    for (const split of splits) {
      await parts.complete(split, REPORT);
    }
    await early.abandon();
    expect(await readdir(folder)).toEqual(["t.parquet.parts"]);
  });

  it("fails at the end for a part that is not Parquet, and leaves no file", async () => {
    const { folder, parts, splits, target } = await writtenParts();
    await writeFile(parts.path(splits[0] as Split), "not Parquet at all");
    const early = new EarlyJoin(target, parts, splits);
    for (const split of splits) {
      await parts.complete(split, REPORT);
    }
    await expect(early.finish(splits)).rejects.toMatchObject({ code: "E_CORRUPT" });
    expect(await readdir(folder)).toEqual(["t.parquet.parts"]);
  });

  it("fails at the end if the file cannot be created", async () => {
    const { folder, parts, splits } = await writtenParts();
    const early = new EarlyJoin(join(folder, "no such folder", "t.parquet"), parts, splits);
    await parts.complete(splits[0] as Split, REPORT);
    await expect(early.finish(splits)).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });
});
