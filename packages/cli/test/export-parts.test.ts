import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { MemoryArena } from "@cfile/bytes";
import { sizeOf } from "@cfile/io";
import { openKuduDir } from "@cfile/kudu-dir";
import type { Split } from "@cfile/splits";
import { planTablets } from "@cfile/splits/plan";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { ExportParts, type PartReport } from "../src/export/export-parts.js";
import { type JoinedFile, joinedFile } from "../src/export/joined-file.js";
import { JoinedWriter } from "../src/export/joined-writer.js";

const REPORT = { rows: 1, accounts: [], ledgers: [], losses: [], notices: [] };

async function someSplits(): Promise<Split[]> {
  const path = pathToGolden("servers/log");
  await using dir = await openKuduDir(path);
  return planTablets((await dir.table("keys_composite")).tablets, { dirs: [path], targetRows: 7 });
}

describe("parts of an interrupted export", () => {
  const BEFORE = '{"1":4096}';
  const CONTENT = "a part\n";

  it.each([
    ["the same end of the log", BEFORE, 1],
    ["a later end of the log", '{"1":8192}', 0],
    ["no common end of the log", undefined, 0],
  ])("are reused with %s", async (_, logEnd, reused) => {
    const [split, ...others] = await someSplits();
    if (split === undefined) {
      throw new Error("the table has no splits");
    }
    const folder = temporaryFolder();
    const open = (end: string | undefined): Promise<ExportParts> =>
      ExportParts.open(folder, { form: "csv", logEndOf: () => end }, [split, ...others]);
    const report: PartReport = { ...REPORT, checksum: crc32(CONTENT) };
    const before = await open(BEFORE);
    await writeFile(before.path(split), CONTENT);
    await before.complete(split, report);
    const again = await open(logEnd);
    expect(again.reports.size).toBe(reused);
    expect(again.report(split).rows).toBe(reused);
  });
});

describe("parts of a joined file", () => {
  const bodies = ["first", "second part", "third"];

  interface Interrupted {
    readonly splits: readonly Split[];
    readonly path: string;
    readonly open: () => Promise<ExportParts>;
    /** Writes the parts that are missing, except for those that fail, and marks all but one as complete. */
    readonly write: (
      parts: ExportParts,
      exceptions: { readonly failing?: number; readonly unmarked?: number },
    ) => Promise<void>;
  }

  async function interrupted(exceptions: {
    readonly failing?: number;
    readonly unmarked?: number;
  }): Promise<Interrupted> {
    const splits = (await someSplits()).slice(0, bodies.length);
    const folder = temporaryFolder();
    const path = join(folder, "joined.parquet");
    const open = () =>
      ExportParts.open(folder, { form: "parquet", joined: joinedFile(path, splits.length) }, splits);
    const write: Interrupted["write"] = async (parts, { failing, unmarked }) => {
      const missing = splits.filter(({ id }) => !parts.reports.has(id));
      parts.expect(missing);
      const writer = new JoinedWriter(parts.joined as JoinedFile, new MemoryArena());
      for (const split of missing) {
        const index = splits.indexOf(split);
        const sink = writer.sink(parts.expectedIndex(split) ?? -1);
        await sink.write(Buffer.from(`PAR1${bodies[index]}\0\0\0\0PAR1`, "latin1"));
        await (index === failing ? sink.abort() : sink.close());
        parts.end(split);
        if (index !== failing && index !== unmarked) {
          await parts.complete(split, { ...REPORT, checksum: sink.checksum, joined: sink.joined });
        }
      }
      await writer.finish();
      await writer.close();
    };
    await write(await open(), exceptions);
    return { splits, path, open, write };
  }
  const reused = ({ reports }: ExportParts, splits: readonly Split[]) =>
    splits.map(({ id }) => reports.has(id));

  it("are reused, and need no copy", async () => {
    const { open, splits, path } = await interrupted({});
    const parts = await open();
    expect(reused(parts, splits)).toEqual([true, true, true]);
    expect(parts.joinedFile(splits)).toEqual({ path, bytes: 4 + bodies.join("").length });
    expect(parts.joinedFile(splits.slice(0, 2))).toBeUndefined();
    expect(parts.joinedFile([...splits].reverse())).toBeUndefined();
    const sizes: number[] = [];
    for await (const part of parts.sources(splits)) {
      sizes.push(await sizeOf(part));
    }
    expect(sizes).toEqual(bodies.map(({ length }) => length + 12));
  });

  it("are reused up to one that was not marked as complete, which is rewritten in its position", async () => {
    const { open, splits, path, write } = await interrupted({ unmarked: 1 });
    const parts = await open();
    expect(reused(parts, splits)).toEqual([true, false, false]);
    await write(parts, {});
    expect(splits.map((split) => parts.expectedIndex(split))).toEqual([undefined, 1, 2]);
    const bytes = 4 + bodies.join("").length;
    expect(parts.joinedFile(splits)).toEqual({ path, bytes });
    expect((await readFile(path, "latin1")).slice(0, bytes)).toBe(`PAR1${bodies.join("")}`);
  });

  it("are reused after one that failed, which becomes a file of its own", async () => {
    const { open, splits } = await interrupted({ failing: 1 });
    const parts = await open();
    expect(reused(parts, splits)).toEqual([true, false, true]);
    parts.expect(splits.slice(1, 2));
    expect(parts.expectedIndex(splits[1] as Split)).toBeUndefined();
    await writeFile(parts.path(splits[1] as Split), "a part");
    await parts.complete(splits[1] as Split, { ...REPORT, checksum: crc32("a part") });
    expect(reused(await open(), splits)).toEqual([true, true, true]);
    expect((await open()).joinedFile(splits)).toBeUndefined();
  });

  it("are not reused if their bytes have changed", async () => {
    const { open, path, splits } = await interrupted({});
    const bytes = await readFile(path);
    bytes[4 + "firsts".length] = 0;
    await writeFile(path, bytes);
    expect(reused(await open(), splits)).toEqual([true, false, false]);
    await writeFile(path, "");
    const parts = await open();
    expect(reused(parts, splits)).toEqual([false, false, false]);
    expect(await readFile(path, "latin1")).toBe("PAR1");
  });

  it("keep their position when they are discarded", async () => {
    const { open, splits } = await interrupted({});
    const parts = await open();
    await parts.discard(splits[0] as Split);
    expect(parts.joinedFile(splits)).toBeUndefined();
    expect(reused(parts, splits)).toEqual([false, true, true]);
    expect(reused(await open(), splits)).toEqual([true, true, true]);
  });
});
