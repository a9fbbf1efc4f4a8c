/** Restoring with failing sources, unusual catalogs and replicas, and full containers. */
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import { type FileTree, memoryTree } from "@cfile/io";
import { pathToGolden } from "@cfile-tools/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClusterTablet } from "../src/cluster/kudu-cluster.js";
import { catalogEntries, ENTRY } from "../src/cluster/read-catalog.js";
import { ReplicatedTablet } from "../src/cluster/replicated-tablet.js";
import { checkCluster, checkKuduDir, KuduTablet, openKuduCluster, openKuduDir } from "../src/index.js";
import { ContainerWriter } from "../src/load/container-writer.js";
import { LoadedRowSet } from "../src/load/loaded-row-set.js";
import { KuduDir } from "../src/read/kudu-dir.js";
import type { TabletLedger } from "../src/recover.js";
import { CatalogRows } from "../src/restore/catalog-tablet.js";
import { NewServer } from "../src/restore/new-server.js";
import { recoveredRows } from "../src/restore/recovered-rows.js";
import { planRestore } from "../src/restore/restore-plan.js";
import { lastOperationOf, unseenNotes, wholeReplica } from "../src/restore/whole-replica.js";
import { ALL_SERVERS, clusterPath, filesOfServer, type ServerFiles, TABLET_SERVERS } from "./cluster.js";
import { changedSuperblock, type SuperblockChange } from "./edited-files.js";
import { collectRows } from "./json-rows.js";
import { restore } from "./restored.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const SERVERS = ["master", ...TABLET_SERVERS] as const;
type Change = (files: ServerFiles, server: string) => void;

function treesOf(change: Change = () => undefined, servers: readonly string[] = SERVERS): FileTree[] {
  return servers.map((server) => {
    const files = filesOfServer(server);
    change(files, server);
    return memoryTree(files, server);
  });
}

/** Changes the superblocks whose messages the condition accepts. */
const superblocks =
  (change: SuperblockChange): Change =>
  (files) => {
    for (const [path, bytes] of [...files].filter(([one]) => /tablet-meta\/[0-9a-f]{32}$/.test(one))) {
      files.set(path, changedSuperblock(bytes, change));
    }
  };

async function rowsOf(input: readonly (FileTree | string)[] | string, table: string): Promise<unknown[]> {
  await using cluster = await openKuduCluster(input);
  return collectRows((await cluster.table(table)).scan());
}

/** A tablet of table "sales" in a cluster, and the schema of its first replica. */
async function salesOf(cluster: Awaited<ReturnType<typeof openKuduCluster>>) {
  const id = (await cluster.table("sales")).tablets[0]?.id;
  const found = (await cluster.replicaSets()).find((one) => one.id === id);
  const schema = found?.readable[0]?.tablet.schema;
  if (found === undefined || schema === undefined) {
    throw new TypeError("no tablet");
  }
  return { tablet: found, schema };
}

const failure = (code: "E_IO" | "E_SOURCE_CHANGED" | "E_CORRUPT") => new CFileError(code, "test", {});

describe("a source that fails", () => {
  it.each(["E_IO", "E_SOURCE_CHANGED"] as const)("does not count as damage: %s", async (code) => {
    vi.spyOn(KuduTablet.prototype, "flushLog").mockRejectedValue(failure(code));
    const recovered = vi.spyOn(ReplicatedTablet.prototype, "recover");
    await expect(restore(ALL_SERVERS, { tables: ["sales"], recover: true })).rejects.toMatchObject({ code });
    expect(recovered).not.toHaveBeenCalled();
  });

  it.each(["E_IO", "E_SOURCE_CHANGED"] as const)("does not hide the last write: %s", async (code) => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    vi.spyOn(KuduTablet.prototype, "unflushed").mockRejectedValue(failure(code));
    await expect(recoveredRows(cluster, tablet, schema)).rejects.toMatchObject({ code });
  });

  it("is not hidden if the error is of another kind", async () => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    vi.spyOn(KuduTablet.prototype, "unflushed").mockRejectedValue(new TypeError("test"));
    await expect(recoveredRows(cluster, tablet, schema)).rejects.toThrow(TypeError);
  });
});

describe("recovered rows", () => {
  it("are as new as the last write that can be read, or as the restoration", async () => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    const { lastWrite } = await recoveredRows(cluster, tablet, schema);
    vi.spyOn(KuduTablet.prototype, "unflushed").mockRejectedValue(failure("E_CORRUPT"));
    const flushed = await recoveredRows(cluster, tablet, schema);
    expect(flushed.lastWrite).toBeGreaterThan(0n);
    expect(flushed.lastWrite).toBeLessThanOrEqual(lastWrite);
    vi.spyOn(KuduTablet.prototype, "unflushed").mockResolvedValue(undefined);
    expect((await recoveredRows(cluster, tablet, schema)).lastWrite).toBe(flushed.lastWrite);
    const now = BigInt(Date.now()) * 4_096_000n;
    const unknown = await recoveredRows(cluster, { ...tablet, readable: [] }, schema);
    expect(unknown.lastWrite).toBeGreaterThanOrEqual(now);
  });

  it("have the values of columns that were added after the replica was changed last", async () => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    const [first] = schema.columns;
    if (first === undefined) {
      throw new TypeError("no column");
    }
    const added = { ...first, isKey: false, type: "INT32", array: false } as const;
    const columns = [
      ...schema.columns,
      { ...added, id: 900, name: "new null", nullable: true, readDefault: undefined },
      { ...added, id: 901, name: "new 7", nullable: false, readDefault: 7 },
    ];
    const { openRowSet } = await import("@cfile/rowset");
    const { rowSets } = await recoveredRows(cluster, tablet, { columns });
    const cells = new Set<string>();
    let rows = 0;
    for await (const { files, liveRows } of rowSets) {
      rows += liveRows;
      for await (const batch of (await openRowSet(files, { columns })).scan({
        columns: ["new null", "new 7"],
      })) {
        const [left = [], right = []] = batch.columns.map((column) => column.toArray());
        for (const [i, cell] of left.entries()) {
          cells.add(JSON.stringify([cell, right[i]]));
        }
      }
    }
    expect(rows).toBeGreaterThan(0);
    expect([...cells]).toEqual(["[null,7]"]);
  });

  it("are divided into row sets, and none is made without rows", async () => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    const counts: number[] = [];
    const whole = await collectRows((await cluster.tablet(tablet.id)).scan());
    vi.spyOn(LoadedRowSet.prototype, "isFull", "get").mockReturnValue(true);
    const batches = vi.spyOn(ReplicatedTablet.prototype, "recover");
    const real = (await cluster.tablet(tablet.id)).scan({ batchRows: 10, withLog: true });
    batches.mockReturnValueOnce(real);
    for await (const { liveRows } of (await recoveredRows(cluster, tablet, schema)).rowSets) {
      counts.push(liveRows);
    }
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(whole.length);
    batches.mockImplementationOnce(async function* () {
      // All rows are missing.
      yield* [];
    });
    const none = [];
    for await (const rowSet of (await recoveredRows(cluster, tablet, schema)).rowSets) {
      none.push(rowSet);
    }
    expect(none).toEqual([]);
  });

  const range = { from: undefined, to: undefined } as const;
  it.each<[string, Partial<TabletLedger>, readonly string[]]>([
    ["nothing is lost", {}, []],
    [
      "some are lost",
      {
        lost: [
          { ...range, rows: 2 },
          { ...range, rows: 3 },
        ] as never,
      },
      ["at most 5 rows are lost"],
    ],
    ["unknown ones are lost", { lost: [{ ...range, rows: undefined }] as never }, ["rows are lost"]],
    ["replicas differ", { rowsDifferent: 4 }, ["4 rows differ between undamaged replicas and are left out"]],
    ["the snapshot is earlier", { snapshot: "earlier" }, ["later operations are lost, or hidden by damage"]],
    ["a log is missing", { unseen: ["a"] }, unseenNotes(["a"])],
  ])("have notes if %s", async (_, ledger, expected) => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    const complete = { lost: [], rowsDifferent: 0, snapshot: "requested", unseen: [], ...ledger };
    vi.spyOn(ReplicatedTablet.prototype, "recover").mockImplementation(
      async function* (_options, _account, onLedger) {
        onLedger?.(complete as unknown as TabletLedger);
        yield* [];
      },
    );
    const { rowSets, notes } = await recoveredRows(cluster, tablet, schema);
    for await (const _ of rowSets) {
      expect.unreachable();
    }
    expect(notes.slice(1)).toEqual(expected);
  });
});

describe("a replica", () => {
  it("that fails while it is written is replaced by another one, and leaves no block", async () => {
    const copy = NewServer.prototype.copyRowSet;
    let calls = 0;
    vi.spyOn(NewServer.prototype, "copyRowSet").mockImplementation(async function (this: NewServer, ...args) {
      const copied = await copy.apply(this, args);
      if (++calls === 1) {
        throw failure("E_CORRUPT");
      }
      return copied;
    });
    const { path } = await restore(ALL_SERVERS, { tables: ["sales"], addresses: ["a:1", "b:2"] });
    expect(await rowsOf(path, "sales")).toEqual(await rowsOf(ALL_SERVERS, "sales"));
    for (const server of ["ts0", "ts1"]) {
      await using dir = await openKuduDir(join(path, server));
      expect(await checkKuduDir(dir)).toMatchObject({ ok: true, orphaned: [] });
    }
  });

  it("has notes on what only its log has, and on logs that are missing", async () => {
    const flush = KuduTablet.prototype.flushLog;
    vi.spyOn(KuduTablet.prototype, "flushLog").mockImplementation(async function (this: KuduTablet, ...args) {
      const found = await flush.apply(this, args);
      if (found !== undefined) {
        found.transactional = 3;
      }
      return found;
    });
    const { report } = await restore(ALL_SERVERS, { tables: ["one_copy"] });
    expect(report.tables[0]?.tablets[0]?.notes).toEqual([
      "3 row operations of multi-row transactions are only in the log and not restored",
    ]);
    expect(unseenNotes(["a", "b"])).toEqual([
      "the last writes may be missing: there is no log of the servers a, b",
    ]);
  });

  it("without a block is damaged", async () => {
    const change = superblocks(({ rowsets }) => ({
      rowsets: rowsets.map((one) => ({ ...one, bloomBlock: { id: 1n << 40n } })),
    }));
    await expect(restore(treesOf(change), { tables: ["sales"] })).rejects.toMatchObject({
      code: "E_BLOCK_MISSING",
      message: expect.stringMatching(/^tablet [0-9a-f]{32} has no undamaged replica/),
    });
  });

  it("must have a log", async () => {
    vi.spyOn(KuduTablet.prototype, "flushLog").mockResolvedValue(undefined);
    await expect(restore(ALL_SERVERS, { tables: ["sales"] })).rejects.toMatchObject({
      ...{ code: "E_NOT_FOUND", field: "wals", message: expect.stringContaining("has no write-ahead log") },
    });
  });

  it("has operation 0.0 as its last one if it knows none", async () => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet } = await salesOf(cluster);
    const bare = tablet.readable.map((one) => ({ ...one, consensus: undefined, lastOperation: undefined }));
    expect(lastOperationOf({ readable: bare })).toEqual({ term: 0n, index: 0n });
    expect(lastOperationOf(tablet).index).toBeGreaterThan(0n);
  });

  it("must exist", async () => {
    await using cluster = await openKuduCluster(ALL_SERVERS);
    const { tablet, schema } = await salesOf(cluster);
    const write = vi.fn();
    const { MemoryArena } = await import("@cfile/bytes");
    await expect(
      wholeReplica({ ...tablet, readable: [] } as ClusterTablet, schema, new MemoryArena(), write),
    ).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    expect(write).not.toHaveBeenCalled();
  });

  it("with a newer schema than the catalog gives the table its own", async () => {
    const change = superblocks(({ schemaVersion = 0 }) => ({ schemaVersion: schemaVersion + 7 }));
    await using cluster = await openKuduCluster(
      treesOf((files, server) => (server === "master" ? undefined : change(files, server))),
    );
    await using unchanged = await openKuduCluster(ALL_SERVERS);
    const versionOf = async (from: typeof cluster) =>
      (await planRestore(from, ["sales"])).tables[0]?.entry.version;
    expect(await versionOf(cluster)).toBe(((await versionOf(unchanged)) ?? 0) + 7);
  });
});

describe("what to restore", () => {
  it("does not include unknown tables", async () => {
    await expect(restore(ALL_SERVERS, { tables: ["none"] })).rejects.toMatchObject({
      ...{ code: "E_NOT_FOUND", field: "table", message: expect.stringContaining('no table "none"') },
    });
  });

  it("must be selected by ID if two tables have one name", async () => {
    const trees = treesOf(
      superblocks(() => ({ tableName: "same" })),
      TABLET_SERVERS,
    );
    await expect(restore(trees)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringContaining('several tables are named "same"'),
    });
  });

  it("does not include the table of transactions", async () => {
    const change = superblocks(({ tableName }) => (tableName === "sales" ? { tableType: 1 } : {}));
    const { report } = await restore(treesOf(change));
    expect(report.tables.map(({ name }) => name)).not.toContain("sales");
    expect(report.tables.length).toBeGreaterThan(0);
  });

  it("must have a tablet", async () => {
    const only: Change = (files) => {
      for (const path of [...files.keys()].filter((one) =>
        /tablet-meta\/|consensus-meta\/|wals\//.test(one),
      )) {
        files.delete(path);
      }
    };
    await expect(restore(treesOf(only, ["ts0"]))).rejects.toMatchObject({
      ...{ code: "E_NOT_FOUND", field: "tablet-meta" },
    });
  });

  it("names at most ten missing partitions", async () => {
    const change = superblocks(({ tableName, partitionSchema }) =>
      tableName !== "one_copy" || partitionSchema === undefined
        ? {}
        : {
            partitionSchema: {
              ...partitionSchema,
              hashSchema: partitionSchema.hashSchema.map((one) => ({ ...one, numBuckets: 16 })),
            },
          },
    );
    await expect(restore(treesOf(change, TABLET_SERVERS), { tables: ["one_copy"] })).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      message: expect.stringMatching(/no tablet has hash partition .*; and 2 more/),
    });
  });

  it.each([
    ["keys", pathToGolden("server-masters/log"), /table "[^"]+" \(keys from 0x[0-9a-f]* to 0x/],
    ["hash partitions and keys", clusterPath("master"), /table "[^"]+" \(hash partition 0, keys from 0x/],
  ])("names missing tablets by their %s", async (_, master, message) => {
    await expect(restore([master])).rejects.toMatchObject({
      ...{ code: "E_NOT_FOUND", message: expect.stringMatching(message) },
    });
  });

  it("cannot be planned if no superblock of a table is left", async () => {
    vi.spyOn(KuduDir.prototype, "metadataFile").mockResolvedValue(undefined);
    await expect(restore(treesOf(undefined, TABLET_SERVERS), { tables: ["sales"] })).rejects.toMatchObject({
      ...{ code: "E_NOT_FOUND", field: "table", reason: 'no superblock of table "sales"' },
    });
  });

  it("has version 0 if superblocks have none", async () => {
    const change = superblocks(() => ({ schemaVersion: undefined }));
    await using cluster = await openKuduCluster(treesOf(change, TABLET_SERVERS));
    const versions = (await planRestore(cluster, ["sales"])).tables.map(({ entry }) => entry.version);
    expect(versions).toEqual([0]);
  });
});

it("a container of 1 GiB gets no more tablets", async () => {
  vi.spyOn(ContainerWriter.prototype, "size", "get").mockReturnValue(1024 ** 3 + 1);
  const { path, report } = await restore(ALL_SERVERS, { tables: ["sales"] });
  vi.restoreAllMocks();
  await using dir = await openKuduDir(join(path, "ts0"));
  expect(await checkKuduDir(dir)).toMatchObject({ ok: true, orphaned: [] });
  const containers = new Set((await dir.blocks.list()).map((block) => block.path));
  expect(containers.size).toBe(report.tables[0]?.tablets.filter(({ rowSets }) => rowSets > 0).length);
  expect(await rowsOf(path, "sales")).toEqual(await rowsOf(ALL_SERVERS, "sales"));
});

it("the position in the Hive Metastore is kept", async () => {
  const message = Uint8Array.of(8, 42);
  const { write } = CatalogRows.prototype;
  vi.spyOn(CatalogRows.prototype, "write").mockImplementationOnce(function (this: CatalogRows, ...args) {
    this.add(ENTRY.hiveMetastorePosition, "latest_notification_log_event_id", message);
    return write.apply(this, args);
  });
  const first = await restore(ALL_SERVERS, { tables: ["sales"] });
  const { path } = await restore([first.path]);
  await using cluster = await openKuduCluster(path);
  const tablet = await cluster.catalogTablet();
  const found: unknown[] = [];
  for await (const entry of tablet === undefined ? [] : catalogEntries(tablet)) {
    if (entry.type === ENTRY.hiveMetastorePosition) {
      found.push([entry.id, entry.message && [...entry.message]]);
    }
  }
  expect(found).toEqual([["latest_notification_log_event_id", [...message]]]);
  expect(await checkCluster(cluster)).toMatchObject({ ok: true });
});
