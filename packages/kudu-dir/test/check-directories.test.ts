/** What a check reports for directories with missing, damaged or contradictory files. */
import { type MemorySink, memorySink } from "@cfile/io";
import { RowSetWriter } from "@cfile/rowset/write";
import { describe, expect, it } from "vitest";
import { unlessDamaged } from "../src/blocks/problems.js";
import { keyExtents, splitKeys } from "../src/catalog.js";
import { rowSetChecker } from "../src/check/check-row-set.js";
import type { CheckedDir, DirProblem } from "../src/check.js";
import type { BlockIdPB, RowSetDataPB } from "../src/generated/decode.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { changedSuperblock, fileWith, withSuperblock } from "./edited-files.js";
import { collectRows } from "./json-rows.js";
import { type ServerName, serverFiles, treeOf } from "./servers.js";

type Files = Map<string, Uint8Array>;

async function checkOf(files: Files): Promise<CheckedDir & { readonly problems: readonly DirProblem[] }> {
  const problems: DirProblem[] = [];
  await using dir = await openKuduDir(treeOf(files));
  const checked = await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
  return { ...checked, problems };
}

/** The tablets of a server by table name. */
async function tabletsOf(server: ServerName): Promise<ReadonlyMap<string, readonly string[]>> {
  await using dir = await openKuduDir(treeOf(serverFiles(server)));
  return new Map((await dir.tables()).map(({ name, tablets }) => [name, tablets.map(({ id }) => id)]));
}

const tablets = await tabletsOf("log");
const inFiles = await tabletsOf("file");
const pristine = await openKuduDir(treeOf(serverFiles("file")));
const [small = ""] = inFiles.get("small") ?? [];

describe("a check", () => {
  it("reports blocks that two tablets use, with the second", async () => {
    const files = serverFiles("file");
    const [path, bytes] = fileWith(files, `/tablet-meta/${small}`);
    const copy = "f".repeat(32);
    files.set(
      path.replace(small, copy),
      changedSuperblock(bytes, () => ({ tabletId: copy })),
    );
    const { problems, missing } = await checkOf(files);
    const shared = problems.filter(({ reason }) => reason.includes("both use block"));
    const { rowsets } = await superblockOf(files, small);
    const blocks = rowsets.reduce((sum, { blocks: count }) => sum + count, 0);
    expect(shared).toHaveLength(blocks);
    expect(shared[0]).toMatchObject({ code: "E_CORRUPT", field: "rowsets", tablet: copy, table: "small" });
    expect(missing).toEqual([]);
  });

  it("reports a block whose file is cut within its encryption header", async () => {
    const files = serverFiles("encrypted");
    const [path] = fileWith(files, ".data");
    await using whole = await openKuduDir(treeOf(files));
    const here = (await whole.blocks.list()).filter((block) => block.path === `server/${path}`);
    files.set(path, (files.get(path) ?? new Uint8Array(0)).slice(0, 20));
    const { ok, problems } = await checkOf(files);
    expect(ok).toBe(false);
    expect(here.length).toBeGreaterThan(0);
    expect(problems.every(({ code }) => code === "E_TRUNCATED")).toBe(true);
  });

  it("without the folder of logs reports no missing logs", async () => {
    const files = new Map([...serverFiles("file")].filter(([path]) => !path.includes("/wals/")));
    const { problems, ok } = await checkOf(files);
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
  });

  it("ignores other files among the logs", async () => {
    const files = serverFiles("file");
    files.set("ts/wal/wals/lost+found/x", new Uint8Array(1));
    expect((await checkOf(files)).problems).toEqual([]);
  });

  it("counts live rows itself where the superblock does not, and compares them where it does", async () => {
    const unknown = withSuperblock(small, () => ({ supportsLiveRowCount: undefined }), serverFiles("file"));
    const expected = await checkOf(serverFiles("file"));
    expect(await checkOf(unknown)).toMatchObject({ ok: true, liveRows: expected.liveRows });
    const wrong = withSuperblock(
      small,
      ({ rowsets }) => ({ rowsets: rowsets.map((rowSet) => ({ ...rowSet, liveRowCount: 1 })) }),
      serverFiles("file"),
    );
    const { problems } = await checkOf(wrong);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every(({ tablet, code }) => tablet === small && code === "E_CORRUPT")).toBe(true);
  });

  it("of a missing row set throws", async () => {
    await using dir = await openKuduDir(treeOf(serverFiles("file")));
    const check = rowSetChecker(dir);
    const known = (await dir.tablet(small)).rowSets[0]?.id ?? 0n;
    for (const place of [
      { tablet: small, rowSet: 99n },
      { tablet: "f".repeat(32), rowSet: known },
    ]) {
      await expect(check(place)).rejects.toMatchObject({ code: "E_NOT_FOUND", field: "row set" });
    }
    expect(await check({ tablet: small, rowSet: known })).toMatchObject({ problems: [], missing: [] });
  });

  it("reads a missing Bloom file as missing, and the rows beside it", async () => {
    const files = serverFiles("file");
    const whole = await checkOf(files);
    await using dir = await openKuduDir(treeOf(files));
    const bloom = (await dir.tablet(small)).rowSets[0]?.blocks.bloom ?? 0n;
    files.delete(fileWith(files, String(bloom).padStart(16, "0"))[0]);
    const { problems, missing, liveRows } = await checkOf(files);
    expect(missing).toEqual([bloom]);
    expect(problems).toMatchObject([{ code: "E_BLOCK_MISSING", role: "Bloom file", tablet: small }]);
    expect(liveRows).toBe(whole.liveRows);
  });
});

async function superblockOf(files: Files, tablet: string) {
  await using dir = await openKuduDir(treeOf(files));
  const { rowSets } = await dir.superblock(tablet);
  return {
    rowsets: rowSets.map(({ columns, redo, undo, bloom, adhocIndex }) => ({
      blocks: columns.size + redo.length + undo.length + [bloom, adhocIndex].filter((one) => one).length,
    })),
  };
}

describe("a superblock that lacks REDO files", () => {
  /** The server after one tablet has lost the REDO files of its row sets. */
  const withoutRedo = (tablet: string): Files =>
    withSuperblock(tablet, ({ rowsets }) => ({
      rowsets: rowsets.map((rowSet) => ({ ...rowSet, redoDeltas: [] })),
    }));

  it("is reported for each block with changes that no log has", async () => {
    let reported = 0;
    for (const [, ids] of tablets) {
      for (const id of ids) {
        const files = withoutRedo(id);
        const { redo } = await redoOf(id);
        for (const path of [...files.keys()].filter((name) => name.includes("/wals/"))) {
          files.delete(path);
        }
        if (redo.length === 0) {
          continue;
        }
        const problems: DirProblem[] = [];
        await using dir = await openKuduDir(treeOf(files));
        await checkNewer(dir, redo, problems);
        for (const problem of problems) {
          expect(problem).toMatchObject({ code: "E_CORRUPT", field: "superblock", role: "superblock" });
          expect(problem.reason).toContain("and no log: a superblock may be older than the block");
          expect(problem.path).toMatch(/^block \d+$/);
          const [, times = "", from = "0", to = "0"] =
            /changes at (\d+) times, (\d+) to (\d+),/.exec(problem.reason) ?? [];
          expect(BigInt(from) <= BigInt(to)).toBe(true);
          expect(Number(times) === 1).toBe(from === to);
        }
        reported += problems.length;
      }
    }
    expect(reported).toBeGreaterThan(3);
  });

  it("is not reported by a log that ends before the commits, since the changes may be in memory", async () => {
    const id = (tablets.get("types_flushed") ?? []).find((one) => one.startsWith("46cf99")) ?? "";
    const { redo, undo } = await redoOf(id);
    const files = withSuperblock(id, ({ rowsets }) => ({ rowsets: rowsets.slice(0, -1) }));
    const [path, segment] = [...files].filter(([name]) => name.includes(`/wals/${id}/wal-`)).at(-1) ?? [
      "",
      new Uint8Array(0),
    ];
    const { parseLogSegment } = await import("../src/log/log-segment.js");
    const counts = new Set<number>();
    for (const { offset } of parseLogSegment(segment, path).entries) {
      const problems: DirProblem[] = [];
      await using dir = await openKuduDir(treeOf(new Map([...files, [path, segment.slice(0, offset)]])));
      await checkNewer(dir, [...redo, ...undo], problems);
      counts.add(problems.filter(({ reason }) => reason.includes("although they were flushed")).length);
    }
    expect(counts.size).toBeGreaterThan(1);
  });
});

async function redoOf(id: string): Promise<{ redo: bigint[]; undo: bigint[] }> {
  await using dir = await openKuduDir(treeOf(serverFiles("log")));
  const { rowSets } = await dir.superblock(id);
  return {
    redo: rowSets.flatMap(({ redo }) => redo),
    undo: rowSets.flatMap(({ undo }) => undo),
  };
}

async function checkNewer(
  dir: Awaited<ReturnType<typeof openKuduDir>>,
  orphaned: readonly bigint[],
  problems: DirProblem[],
): Promise<void> {
  const { checkNewerBlocks } = await import("../src/check/check-newer-blocks.js");
  await checkNewerBlocks(dir, orphaned, (problem) => problems.push(problem), undefined);
}

describe("key ranges", () => {
  it("of row sets with the same keys are in the order of their IDs, and without counts of live rows", async () => {
    const files = serverFiles("file");
    /** A second block with the same bytes. */
    const copyOf = ({ id }: BlockIdPB): BlockIdPB => {
      const [path, bytes] = fileWith(files, String(id).padStart(16, "0"));
      const copy = id ^ 0x800000n;
      files.set(path.replace(/\d+$/, String(copy).padStart(16, "0")), bytes);
      return { id: copy };
    };
    withSuperblock(
      small,
      ({ rowsets: [first] }) => ({
        rowsets: first === undefined ? [] : [{ ...withBlocks(first, copyOf), id: first.id + 7n }, first],
        supportsLiveRowCount: false,
      }),
      files,
    );
    await using dir = await openKuduDir(treeOf(files));
    const { rowSets, depth } = await keyExtents(await dir.tablet(small));
    const [first, second] = rowSets;
    expect(second?.id).toBe((first?.id ?? 0n) + 7n);
    expect(second).toEqual({ ...first, id: second?.id, overlaps: [first?.id] });
    expect(first).toMatchObject({ liveRows: undefined, problem: undefined, overlaps: [second?.id] });
    expect(depth).toBe(2);
    // Each key occurs twice, but divides only once.
    const keys = await splitKeys(await dir.tablet(small), 1000);
    expect(keys.length).toBeGreaterThan(10);
    expect(new Set(keys.map(String)).size).toBe(keys.length);
  });
});

describe("a row set without rows", () => {
  /** The server with an empty row set before the others of a tablet. */
  async function withEmpty(): Promise<Files> {
    const files = serverFiles("file");
    const tree = treeOf(files);
    await using dir = await openKuduDir(tree);
    const { schema, rowSets } = await dir.tablet(small);
    const columns = new Map(schema.columns.map(({ id }) => [id, memorySink()]));
    const bloom = memorySink();
    await new RowSetWriter({ columns, bloom }, schema).finish();
    const [known = 0n] = rowSets[0]?.blocks.columns.values() ?? [];
    const [path] = fileWith(files, String(known).padStart(16, "0"));
    let next = known ^ 0x800000n;
    const put = (sink: MemorySink): BlockIdPB => {
      files.set(path.replace(/\d+$/, String(++next).padStart(16, "0")), sink.bytes());
      return { id: next };
    };
    const empty: RowSetDataPB = {
      id: 99n,
      columns: [...columns].map(([columnId, sink]) => ({ columnId, block: put(sink) })),
      redoDeltas: [],
      undoDeltas: [],
      bloomBlock: put(bloom),
      liveRowCount: 0,
    };
    return withSuperblock(small, ({ rowsets }) => ({ rowsets: [empty, ...rowsets] }), files);
  }

  it("has no keys and no rows, and is whole", async () => {
    const files = await withEmpty();
    await using dir = await openKuduDir(treeOf(files));
    const tablet = await dir.tablet(small);
    const { rowSets, depth } = await keyExtents(tablet);
    const { depth: expected } = await keyExtents(await pristine.tablet(small));
    expect(depth).toBe(expected);
    expect(rowSets.at(-1)).toMatchObject({
      ...{ id: 99n, rows: 0, minKey: undefined, maxKey: undefined, overlaps: [], problem: undefined },
    });
    expect(await splitKeys(tablet, 3)).toEqual(await splitKeys(await pristine.tablet(small), 3));
    expect(await collectRows(tablet.scan())).toEqual(
      await collectRows((await pristine.tablet(small)).scan()),
    );
    const [block = 0n] = tablet.rowSets.find(({ id }) => id === 99n)?.blocks.columns.values() ?? [];
    files.delete(fileWith(files, String(block).padStart(16, "0"))[0]);
    await using damaged = await openKuduDir(treeOf(files));
    const recovered = (await damaged.tablet(small)).recover({}, () => undefined);
    expect(await collectRows(recovered)).toEqual(await collectRows((await pristine.tablet(small)).scan()));
  });

  it("is whole for a check", async () => {
    const files = await withEmpty();
    expect(await checkOf(files)).toMatchObject({
      ok: true,
      liveRows: (await checkOf(serverFiles("file"))).liveRows,
    });
  });
});

/** The row set with changed blocks. */
function withBlocks(rowSet: RowSetDataPB, change: (block: BlockIdPB) => BlockIdPB): RowSetDataPB {
  const { columns, redoDeltas, undoDeltas, bloomBlock, adhocIndexBlock } = rowSet;
  const changed = <T extends { readonly block: BlockIdPB }>(one: T): T => ({
    ...one,
    block: change(one.block),
  });
  return {
    ...rowSet,
    columns: columns.map(changed),
    redoDeltas: redoDeltas.map(changed),
    undoDeltas: undoDeltas.map(changed),
    bloomBlock: bloomBlock && change(bloomBlock),
    adhocIndexBlock: adhocIndexBlock && change(adhocIndexBlock),
  };
}

it("errors that are not damage are not taken for it", async () => {
  const bug = new TypeError("a bug");
  await expect(unlessDamaged(() => Promise.reject(bug))).rejects.toBe(bug);
});
