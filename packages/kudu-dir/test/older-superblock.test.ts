/** A superblock from before a flush: reading with the log throws if the log shows it; the check finds the newer blocks. */
import { pathToGolden } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { DirProblem } from "../src/check.js";
import type { TabletSuperBlockPB } from "../src/generated/decode.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { newestMemRowSet, olderSuperblock } from "../src/log/older-superblock.js";
import type { TabletLedger } from "../src/recover.js";
import { withSuperblock } from "./edited-files.js";
import { collectRows } from "./json-rows.js";
import { filesIn, serverFiles, treeOf } from "./servers.js";

/** Prefix of the ID of a tablet with three flushed MemRowSets in its log, and a row set of each. */
const TABLET = "46cf99";

async function problemsOf(files: ReadonlyMap<string, Uint8Array>): Promise<DirProblem[]> {
  const problems: DirProblem[] = [];
  await using dir = await openKuduDir(treeOf(files));
  const { ok } = await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
  expect(ok).toBe(problems.length === 0);
  return problems;
}

describe("a log that names MemRowSets", () => {
  it.each<[bigint, bigint, string | undefined]>([
    [-1n, -1n, undefined],
    [3n, 4n, undefined],
    [3n, 5n, undefined],
    [3n, 6n, "4"],
    [-1n, 2n, "0"],
    [-1n, 1n, undefined],
  ])(
    "after %s shows an older superblock only if one between was flushed: %s",
    (lastDurableMrsId, newest, expected) => {
      expect(olderSuperblock(newest, { lastDurableMrsId })?.expected).toBe(expected);
    },
  );

  it("does not count those of transactions", () => {
    const store = { rowSetId: -1n, dmsId: -1n };
    const stores = [
      { ...store, mrsId: 4n, transaction: -1n },
      { ...store, mrsId: 9n, transaction: 7n },
    ];
    expect(newestMemRowSet([{ skipped: false, failed: false, stores }])).toBe(4n);
    expect(newestMemRowSet([])).toBe(-1n);
  });
});

describe("a superblock from before", () => {
  it("several flushes is refused with the log, read with an account, and reported by the check", async () => {
    const files = withSuperblock(TABLET, () => ({ lastDurableMrsId: -1n, rowsets: [] }));
    await using dir = await openKuduDir(treeOf(files));
    const [tablet] = (await dir.tablets()).filter(({ id }) => id.startsWith(TABLET));
    if (tablet === undefined) {
      throw new Error(`no tablet ${TABLET}`);
    }
    const error = { code: "E_CORRUPT", field: "last_durable_mrs_id" };
    await expect(collectRows(tablet.scan({ withLog: true }))).rejects.toMatchObject(error);
    const ledgers: TabletLedger[] = [];
    const rows = await collectRows(
      tablet.recover(
        { withLog: true },
        () => undefined,
        (ledger) => ledgers.push(ledger),
      ),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(ledgers).toMatchObject([
      { complete: false, snapshot: "earlier", replicas: [{ problems: [error] }] },
    ]);
    expect(await problemsOf(files)).toContainEqual(expect.objectContaining({ ...error, role: "log" }));
  });

  it("the last flush is reported by the check, with the blocks that it lacks, unless the log has their changes", async () => {
    const files = serverFiles("log");
    expect(await problemsOf(files)).toEqual([]);
    const older = withSuperblock(TABLET, ({ rowsets }) => ({ rowsets: rowsets.slice(0, -1) }));
    const problems = (await problemsOf(older)).filter(({ role }) => role === "superblock");
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem).toMatchObject({ code: "E_CORRUPT", field: "superblock" });
      expect(problem.path).toMatch(/^block \d+$/);
      expect(problem.tablet).toContain(TABLET);
      expect(problem.reason).toContain("the superblock is older than the block");
    }
    const before = withSuperblock(TABLET, ({ rowsets, lastDurableMrsId }) => ({
      rowsets: rowsets.slice(0, -1),
      lastDurableMrsId: lastDurableMrsId - 1n,
    }));
    expect(await problemsOf(before)).toEqual([]);
  });

  it("a compaction that its log names only in memory is reported by the check, which compares the whole log", async () => {
    const tablet = "ffd877500f4b4da398237e1b56f1a003";
    const files = withSuperblock(tablet, () => ({ rowsets: [], lastDurableMrsId: 0n }));
    const problems = await problemsOf(files);
    expect(problems).toMatchObject([{ code: "E_CORRUPT", field: "superblock", role: "log", tablet }]);
    expect(problems[0]?.reason).toMatch(/^the tablet lacks 55 rows that its log inserted, such as "/);
  });

  it("the last flush is refused with the log if rows in memory were changed in the row set that it lacks", async () => {
    const id = "1f668d7cd2f645a3a424363ff7afd352";
    const before = ({ rowsets, lastDurableMrsId }: TabletSuperBlockPB): Partial<TabletSuperBlockPB> => ({
      rowsets: rowsets.slice(0, -1),
      lastDurableMrsId: lastDurableMrsId - 1n,
    });
    const files = withSuperblock(id, before, filesIn(pathToGolden("kudu-cluster/renumbered"), "ts2"));
    await using dir = await openKuduDir(treeOf(files));
    const tablet = await dir.tablet(id);
    const error = { code: "E_CORRUPT", field: "mutated_stores" };
    await expect(collectRows(tablet.scan({ withLog: true }))).rejects.toMatchObject(error);
    const flush = await tablet.flushLog();
    const rowSets = flush?.rowSets(tablet.schema, tablet.rowSets);
    await expect(rowSets?.next()).rejects.toMatchObject(error);
    expect(await problemsOf(files)).toContainEqual(
      expect.objectContaining({ ...error, role: "log", tablet: id }),
    );
  });
});
