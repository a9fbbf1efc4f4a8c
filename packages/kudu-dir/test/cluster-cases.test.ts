/** What a cluster reports about unusual servers, replicas and logs. */
import { CFileError } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import { BinaryBatch, type ColumnBatch, FixedBatch } from "@cfile/encodings";
import { batchFromValues, sliceTable, type TableBatch } from "@cfile/encodings/batches";
import { type FileTree, memoryTree } from "@cfile/io";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import type { RowKey } from "@cfile/rowset";
import { afterAll, describe, expect, it } from "vitest";
import { missingBuckets } from "../src/cluster/partition-gaps.js";
import { catalogEntries, readCatalog } from "../src/cluster/read-catalog.js";
import { compareOperations, isOfReplica } from "../src/cluster/replica.js";
import { completeUntil } from "../src/cluster/replica-choice.js";
import { ReplicatedTablet } from "../src/cluster/replicated-tablet.js";
import { RowDigest } from "../src/cluster/row-digest.js";
import { type ConsensusMetadataPB, decodeConsensusMetadataPB } from "../src/generated/decode.js";
import { encodeConsensusMetadataPB } from "../src/generated/encode.js";
import {
  type ClusterReport,
  checkCluster,
  type KuduTablet,
  openKuduCluster,
  type Replica,
  type ReplicaNotice,
  replicaDigests,
  type TabletScanOptions,
  type TabletWrites,
  type UnreadablePart,
} from "../src/index.js";
import { parseLogSegment } from "../src/log/log-segment.js";
import type { TabletLedger } from "../src/recover.js";
import { ALL_SERVERS, filesOfServer, type ServerFiles, serverFacts } from "./cluster.js";
import { changedSuperblock, withRecord } from "./edited-files.js";
import { collectChanges, collectRows } from "./json-rows.js";

const SERVERS = ["master", "ts0", "ts1", "ts2", "ts3"] as const;
type Server = (typeof SERVERS)[number];
type Changes = Partial<Record<Server, (files: ServerFiles) => void>>;

const intact = await openKuduCluster(ALL_SERVERS);
afterAll(() => intact.close());
const { servers: uuids } = serverFacts();
const [sales] = (await intact.table("sales")).tablets as [KuduTablet];

function treesOf(changes: Changes, servers: readonly Server[] = SERVERS): FileTree[] {
  return servers.map((server) => {
    const files = filesOfServer(server);
    changes[server]?.(files);
    return memoryTree(files, server);
  });
}

const clusterOf = (changes: Changes, servers?: readonly Server[]) =>
  openKuduCluster(treesOf(changes, servers));

const without = (part: string) => (files: ServerFiles) => {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    files.delete(path);
  }
};

/** Changes the files whose paths contain `part`. */
const edited =
  (part: string, edit: (bytes: Uint8Array, path: string) => Uint8Array) => (files: ServerFiles) => {
    const paths = [...files.keys()].filter((one) => one.includes(part));
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      files.set(path, edit(files.get(path) ?? new Uint8Array(0), path));
    }
  };

const consensus = (tablet: string, change: (message: ConsensusMetadataPB) => Partial<ConsensusMetadataPB>) =>
  edited(`consensus-meta/${tablet}`, (bytes) =>
    withRecord(bytes, (record) => {
      const message = decodeConsensusMetadataPB(new MessageReader(record, "ConsensusMetadataPB"));
      return messageBytes(encodeConsensusMetadataPB, { ...message, ...change(message) });
    }),
  );

/** Zeroes the column data in the blocks of a tablet's replica, but not the rows of its log. */
async function withZeros(
  server: Server,
  tablet: string,
  isDamaged = (_rowSet: number, _column: number): boolean => true,
): Promise<(files: ServerFiles) => void> {
  const dir = intact.servers.find(({ uuid }) => uuid === uuids[server]);
  const places: { path: string; from: number; to: number }[] = [];
  const { rowSets = [] } = (await dir?.tablet(tablet)) ?? {};
  for (const [i, { blocks }] of rowSets.entries()) {
    for (const id of [...blocks.columns].flatMap(([column, block]) =>
      isDamaged(rowSets.length - 1 - i, column) ? [block] : [],
    )) {
      const block = await dir?.block(id);
      if (block !== undefined) {
        const size = await block.source.size();
        const [, path = ""] = block.path.split(`/${server}/`);
        places.push({ path, from: block.offset, to: block.offset + size });
      }
    }
  }
  expect(places.length).toBeGreaterThan(0);
  return (files) => {
    for (const { path, from, to } of places) {
      files.set(path, (files.get(path) ?? new Uint8Array(0)).slice().fill(0, from, to));
    }
  };
}

const holdersOf = async (tablet: string): Promise<Server[]> => {
  const { replicas = [] } = (await intact.replicaSets()).find(({ id }) => id === tablet) ?? {};
  const ready = replicas.filter((one) => one.tablet.state === "ready").map(({ server }) => server);
  return SERVERS.filter((server) => ready.includes(uuids[server] ?? ""));
};

const holders = await holdersOf(sales.id);
const [firstHolder = "ts0", secondHolder = "ts1"] = holders;

describe("a check of a cluster", () => {
  const ofSales = ({ problems }: ClusterReport) =>
    problems
      .filter(({ tablet }) => tablet === sales.id)
      .map(
        ({ kind, server, reason }) => `${kind} ${SERVERS.find((one) => uuids[one] === server)}: ${reason}`,
      );

  it.each<[string, Changes, RegExp]>([
    ...holders.map((holder): [string, Changes, RegExp] => [
      `a term of ${holder} that is older`,
      { [holder]: consensus(sales.id, () => ({ currentTerm: 0n })) },
      new RegExp(`^terms differ ${holder}: term 0, the newest is \\d+$`),
    ]),
    [
      "a Raft configuration that is older",
      {
        [firstHolder]: consensus(sales.id, ({ committedConfig }) => ({
          committedConfig: { ...committedConfig, opidIndex: -2n },
        })),
      },
      new RegExp(`^configurations differ ${firstHolder}: Raft configuration of operation -2, the newest is `),
    ],
    [
      "a server that the newest Raft configuration does not have",
      Object.fromEntries(
        holders.map((holder) => [
          holder,
          consensus(sales.id, ({ committedConfig: { peers, ...config } }) => ({
            committedConfig: {
              ...config,
              peers: peers.filter(({ permanentUuid }) => permanentUuid !== uuids[firstHolder]),
            },
          })),
        ]),
      ),
      new RegExp(`^configurations differ ${firstHolder}: the server is not in the newest Raft configuration`),
    ],
    [
      "a replica whose log is lost",
      { [firstHolder]: without(`/wals/${sales.id}`) },
      new RegExp(`^replica behind ${firstHolder}: \\d+ operations behind operation \\d+\\.\\d+$`),
    ],
  ])("reports %s", async (_name, changes, expected) => {
    await using cluster = await clusterOf(changes);
    expect(ofSales(await checkCluster(cluster))).toContainEqual(expect.stringMatching(expected));
    expect(ofSales(await checkCluster(intact)).some((text) => expected.test(text))).toBe(false);
  });

  it("reports damage that only reading the rows shows, and compares the others", async () => {
    await using cluster = await clusterOf({ [firstHolder]: await withZeros(firstHolder, sales.id) });
    expect(ofSales(await checkCluster(cluster)).filter((text) => text.includes("damaged"))).toEqual([]);
    const report = await checkCluster(cluster, { compareRows: true });
    expect(ofSales(report)).toContainEqual(expect.stringMatching(`^replica damaged ${firstHolder}: `));
    const { replicas = [] } = report.compared.find(({ tablet }) => tablet === sales.id) ?? {};
    expect(replicas.filter(({ error }) => error !== undefined).map(({ server }) => server)).toEqual([
      uuids[firstHolder],
    ]);
    expect(new Set(replicas.flatMap(({ digest }) => digest ?? [])).size).toBe(1);
  });

  it("does not compare a replica whose log is lost with others that are elsewhere", async () => {
    await using cluster = await clusterOf({ [firstHolder]: without(`/wals/${sales.id}`) });
    const { readable = [] } = (await cluster.replicaSets()).find(({ id }) => id === sales.id) ?? {};
    const { replicas } = await replicaDigests({ readable });
    expect(replicas.find(({ server }) => server === uuids[firstHolder])).toMatchObject({
      ...{ rows: undefined, digest: undefined, error: { code: "E_CORRUPT", field: "log", path: sales.id } },
    });
    expect(await replicaDigests({ readable: [] })).toEqual({ asOf: undefined, replicas: [] });
  });

  it("says that a log has no operations if its only segment ends after the header", async () => {
    const header = (files: ServerFiles): void => {
      const [[path, bytes]] = [...files].filter(([one]) => one.includes(`/wals/${sales.id}/wal-`)).sort() as [
        [string, Uint8Array],
      ];
      without(`/wals/${sales.id}`)(files);
      files.set(path, bytes.slice(0, parseLogSegment(bytes, path).entries[0]?.offset));
    };
    await using cluster = await clusterOf({ [firstHolder]: header });
    const { readable = [] } = (await cluster.replicaSets()).find(({ id }) => id === sales.id) ?? {};
    const replica = readable.find(({ server }) => server === uuids[firstHolder]);
    expect(replica?.problems).toMatchObject([
      {
        ...{ code: "E_NOT_FOUND", field: "wals", path: expect.stringMatching(/wal-\d{9}$/) },
        reason: `the write-ahead log of tablet ${sales.id} has no operations on server ${uuids[firstHolder]}: unflushed writes are unknown`,
      },
    ]);
    const { replicas } = await replicaDigests({ readable });
    expect(replicas.find(({ server }) => server === uuids[firstHolder])?.error).toMatchObject({
      ...{ code: "E_CORRUPT", field: "log", path: sales.id },
      reason: "the last operation is unknown: the write-ahead log is missing or has no operations",
    });
  });

  it("counts servers without an identity", async () => {
    const unnamed = without("/instance");
    const bare = (files: ServerFiles): void => {
      unnamed(files);
      without("/wals/")(files);
    };
    await using cluster = await clusterOf({ ts0: bare, ts1: unnamed });
    const { servers, problems } = await checkCluster(cluster);
    expect(servers).toBe(5);
    expect(problems.some(({ kind }) => kind === "under-replicated")).toBe(true);
    expect(problems.some(({ reason }) => reason.includes("no write-ahead log on server ?"))).toBe(true);
  });

  it("names tablets of a dropped table, whose rows can be read by ID", async () => {
    const catalog = await intact.catalog();
    const [dropped = ""] = [...(catalog?.tables ?? [])].find(([, { state }]) => state === "removed") ?? [];
    const id = "e".repeat(32);
    const copy = (files: ServerFiles): void => {
      for (const [path, bytes] of [...files]) {
        if (path.endsWith(`tablet-meta/${sales.id}`)) {
          files.set(
            path.replace(sales.id, id),
            changedSuperblock(bytes, () => ({ tabletId: id, tableId: dropped })),
          );
        }
      }
    };
    await using cluster = await clusterOf({ [firstHolder]: copy });
    const { problems } = await checkCluster(cluster);
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "not in the catalog", table: dropped, tablet: id }),
    );
    const tablet = await cluster.tablet(id);
    expect((await collectRows(tablet.scan({ withLog: false }))).length).toBeGreaterThan(0);
  });
});

describe("a cluster", () => {
  it.each<[string, () => unknown, object]>([
    [
      "a tablet by a table with several",
      () => intact.tablet("sales"),
      { code: "E_INVALID_ARGUMENT", field: "tablet" },
    ],
    ["an unknown table", () => intact.table("none"), { code: "E_NOT_FOUND", field: "table" }],
    [
      "the superblock of an unknown tablet",
      () => intact.superblock("f".repeat(32)),
      { code: "E_NOT_FOUND", field: "tablet" },
    ],
    [
      "a block outside of the directories",
      async () => intact.blockAt({ id: 1n, path: "elsewhere/x.data", offset: 0, length: 1 }),
      { code: "E_BLOCK_MISSING", path: "elsewhere/x.data" },
    ],
  ])("does not find %s", async (_name, look, error) => {
    await expect(look()).rejects.toMatchObject(error);
  });

  it("finds superblocks and blocks", async () => {
    expect((await intact.superblock(sales.id)).tabletId).toBe(sales.id);
    const [dir] = intact.servers.filter(({ uuid }) => uuid === uuids["ts0"]);
    const [block] = (await dir?.blocks.list()) ?? [];
    const length = (await block?.source.size()) ?? 0;
    const found = intact.blockAt({
      id: block?.id ?? 0n,
      path: block?.path ?? "",
      offset: block?.offset ?? 0,
      length,
    });
    expect(await found.read(0, length)).toEqual(await block?.source.read(0, length));
  });

  it("with a catalog that is damaged lists that among its problems", async () => {
    await using cluster = await clusterOf(
      { master: edited("wals/", (bytes) => bytes.slice().fill(0, 0, 20)) },
      ["master", "ts0"],
    );
    const { problem } = await cluster.usableCatalog();
    expect(problem).toBeInstanceOf(CFileError);
    expect((await cluster.problems())[0]).toBe(problem);
  });

  it("throws errors of the catalog other than damage", async () => {
    const bug = new TypeError("a bug");
    const [master, ...others] = treesOf({}) as [FileTree, ...FileTree[]];
    const failing: FileTree = {
      ...master,
      openSource: (path) => (path.includes("wals/") ? Promise.reject(bug) : master.openSource(path)),
    };
    await using cluster = await openKuduCluster([failing, ...others]);
    await expect(cluster.tables()).rejects.toBe(bug);
  });

  it("says which servers to add, with or without their addresses", async () => {
    const bare = ({ committedConfig }: ConsensusMetadataPB): Partial<ConsensusMetadataPB> => ({
      committedConfig: {
        ...committedConfig,
        peers: committedConfig.peers.map((peer) => ({ ...peer, lastKnownAddr: undefined })),
      },
    });
    const copying = edited(`tablet-meta/${sales.id}`, (bytes) =>
      changedSuperblock(bytes, () => ({ tabletDataState: 0 })),
    );
    const reasonOf = async (...changes: ((files: ServerFiles) => void)[]): Promise<string> => {
      const change = (files: ServerFiles): void => {
        for (const one of [copying, ...changes]) {
          one(files);
        }
      };
      await using cluster = await clusterOf({ [firstHolder]: change }, [firstHolder]);
      const error = await cluster.tablet(sales.id).catch((reason: unknown) => reason);
      return error instanceof CFileError ? error.reason : String(error);
    };
    expect(await reasonOf(consensus(sales.id, bare))).toMatch(
      /add the directories of server \w{32} or \w{32}$/,
    );
    const only = await reasonOf(without(`consensus-meta/${sales.id}`), without(`/wals/${sales.id}`));
    expect(only).toMatch(new RegExp(`its replicas are copying on server ${uuids[firstHolder]}$`));
  });
});

describe("the catalog", () => {
  const rows = (length: number, type: "INT8" | "STRING") => ({
    type,
    length,
    firstRow: 0,
    validity: undefined,
    nullCount: 0,
  });
  const text = (value: string): ColumnBatch => {
    const bytes = new TextEncoder().encode(value);
    return new BinaryBatch(rows(1, "STRING"), Int32Array.of(0, bytes.length), bytes);
  };
  const master = (columns: readonly ColumnBatch[]): Pick<KuduTablet, "scan"> => ({
    async *scan(): AsyncGenerator<TableBatch, void, void> {
      yield { length: 1, firstRow: 0, names: ["entry_type", "entry_id", "metadata"], columns };
    },
  });
  const entry = (type: number, message: ColumnBatch): Pick<KuduTablet, "scan"> =>
    master([new FixedBatch(rows(1, "INT8"), "INT8", Int8Array.of(type)), text("id"), message]);

  it("skips entries of other types, and names the entry that is damaged", async () => {
    expect(await readCatalog(entry(5, text("position")))).toEqual({
      ...{ clusterId: undefined, tables: new Map(), tablets: new Map(), redacted: 0 },
    });
    await expect(readCatalog(entry(1, text("\u000f")))).rejects.toMatchObject({
      code: "E_CORRUPT",
      reason: expect.stringMatching(/^catalog entry 1 id: /),
    });
  });

  it("refuses an entry without a message", async () => {
    const nothing = new BinaryBatch(
      { ...rows(1, "STRING"), validity: Uint8Array.of(0), nullCount: 1 },
      Int32Array.of(0, 0),
      new Uint8Array(0),
    );
    await expect(catalogEntries(entry(1, nothing)).next()).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "sys.catalog",
    });
  });
});

/** Removes the first operations of the log. */
const cutLog = edited(`/wals/${sales.id}`, (bytes, path) => {
  const { entries } = parseLogSegment(bytes, path);
  return Uint8Array.from([...bytes.subarray(0, entries[0]?.offset), ...bytes.subarray(entries[4]?.offset)]);
});

describe("a tablet with replicas", () => {
  const expected = collectRows(sales.scan());
  const damaged = async (...servers: Server[]): Promise<Changes> =>
    Object.fromEntries(
      await Promise.all(servers.map(async (server) => [server, await withZeros(server, sales.id)] as const)),
    );
  /** The key of a row in a row set. */
  const firstKey = async (): Promise<RowKey> => {
    const names = sales.schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
    for await (const { columns, length } of sales.scan({ columns: names, withLog: false })) {
      for (let row = 0; row < length; row++) {
        const key = columns.map((column) => column.toArray()[row]) as RowKey;
        if ((await sales.get(key)) !== undefined) {
          return key;
        }
      }
    }
    throw new Error("no rows");
  };

  it("is read from another replica if the first one is damaged, whatever is asked", async () => {
    const preferred = (await intact.replicaSets()).find(({ id }) => id === sales.id)?.readable[0]?.server;
    const first = SERVERS.find((one) => uuids[one] === preferred) ?? "ts0";
    await using cluster = await clusterOf(await damaged(first));
    const tablet = await cluster.tablet(sales.id);
    const notices: ReplicaNotice[] = [];
    const onOtherReplica = (notice: ReplicaNotice): void => void notices.push(notice);
    const rows = await expected;
    expect(await collectRows(tablet.scan({ onOtherReplica }))).toEqual(rows);
    expect(await collectRows(tablet.scan({ order: "any" }))).toHaveLength(rows.length);
    const key = await firstKey();
    expect(await tablet.get(key, { onOtherReplica })).toEqual(await sales.get(key));
    expect(await tablet.get(key)).toEqual(await sales.get(key));
    expect(await tablet.history(key)).toEqual(await sales.history(key));
    expect(notices.map((notice) => notice.skipped.map((one) => one.server))).toEqual([
      [preferred],
      [preferred],
    ]);
    // Without the logs, replicas differ, so the others are not read.
    for (const read of [
      () => collectRows(tablet.scan({ withLog: false })),
      () => tablet.get(key, { withLog: false }),
    ]) {
      await expect(read()).rejects.toMatchObject({ reason: expect.stringContaining("is undamaged") });
    }
    const parts: UnreadablePart[] = [];
    expect(
      await collectRows(tablet.scan({ withLog: false, onUnreadable: (part) => parts.push(part) })),
    ).toEqual([]);
    expect(parts).toMatchObject([{ tablet: sales.id, rowSet: undefined }]);
  });

  /** The tablet with a first replica that fails with the error after some rows. */
  const failingAfter = async (rows: number, error: unknown): Promise<ReplicatedTablet> => {
    const { readable, ...writes } = (await intact.replicaSets()).find(({ id }) => id === sales.id) ?? {};
    const [best, ...others] = readable ?? [];
    if (best === undefined) {
      throw new Error("no replica");
    }
    const scan = async function* (options: TabletScanOptions): AsyncGenerator<TableBatch, void, void> {
      let left = rows;
      for await (const batch of best.tablet.scan(options)) {
        if (left < batch.length) {
          yield* left === 0 ? [] : [sliceTable(batch, 0, left)];
          throw error;
        }
        left -= batch.length;
        yield batch;
      }
    };
    const tablet = Object.create(best.tablet, { scan: { value: scan } }) as KuduTablet;
    const all = { ...writes, readable: [{ ...best, tablet }, ...others] } as unknown as TabletWrites & {
      readonly readable: readonly [Replica, ...Replica[]];
    };
    return new ReplicatedTablet(all, "possible");
  };

  it.each([0, 1, 3, 4])("is read on from another replica, if damage shows after %d rows", async (rows) => {
    const damage = new CFileError("E_CHECKSUM", "damaged", { path: "block 1" });
    const tablet = await failingAfter(rows, damage);
    const notices: ReplicaNotice[] = [];
    const scan = tablet.scan({ batchRows: 2, onOtherReplica: (notice) => notices.push(notice) });
    expect(await collectRows(scan)).toEqual(await expected);
    expect(notices.map(({ skipped }) => skipped.map(({ error }) => error))).toEqual([[damage]]);
    expect(await collectRows(tablet.scan({ batchRows: 2 }))).toEqual(await expected);
    // Unordered, replicas do not have the same first rows.
    const unordered = collectRows(tablet.scan({ batchRows: 2, order: "any" }));
    await (rows === 0
      ? expect(unordered).resolves.toHaveLength((await expected).length)
      : expect(unordered).rejects.toBe(damage));
  });

  it("without an undamaged replica throws for each read, with all reasons", async () => {
    await using cluster = await clusterOf(await damaged(...holders));
    const tablet = await cluster.tablet(sales.id);
    const error = {
      reason: expect.stringContaining("use --recover to combine what remains in the replicas"),
    };
    await expect(collectRows(tablet.scan())).rejects.toMatchObject(error);
    await expect(tablet.get(await firstKey())).rejects.toMatchObject(error);
    await expect(
      collectChanges(tablet.diff(0n, LATEST_TIMESTAMP, { partialHistory: true })),
    ).rejects.toMatchObject(error);
    const table = await cluster.table("sales");
    const parts: UnreadablePart[] = [];
    await collectChanges(
      table.diff(0n, LATEST_TIMESTAMP, { partialHistory: true, onUnreadable: (part) => parts.push(part) }),
    );
    expect(parts.map((part) => part.tablet)).toEqual([sales.id]);
    await expect(collectChanges(table.diff(0n, LATEST_TIMESTAMP))).rejects.toBeInstanceOf(CFileError);
    await expect(table.get(await firstKey())).rejects.toMatchObject({ field: expect.anything() });
  });

  it("refuses a snapshot that no replica retains, as the history of its first one", async () => {
    const gone = { code: "E_HISTORY_GONE" };
    await using cluster = await openKuduCluster(treesOf({}), { historyMaxAgeSeconds: 1 });
    const tablet = await cluster.tablet(sales.id);
    await expect(collectRows(tablet.scan({ asOf: 1n }))).rejects.toMatchObject(gone);
    await expect(tablet.requireHistory("asOf", 1n)).rejects.toMatchObject({ ...gone, field: "asOf" });
    await expect(tablet.requireHistory("from", 1n, { partialHistory: true })).resolves.toBeUndefined();
    await expect(tablet.requireHistory("asOf")).resolves.toBeUndefined();
    // The logs go back to the first operation, before which the tablet was empty.
    expect(await collectRows(tablet.recover({ asOf: 1n }, () => undefined))).toEqual([]);
    const changes = Object.fromEntries(holders.map((holder) => [holder, cutLog]));
    await using cut = await openKuduCluster(treesOf(changes), { historyMaxAgeSeconds: 1 });
    const recovered = (await cut.tablet(sales.id)).recover({ asOf: 1n }, () => undefined);
    await expect(collectRows(recovered)).rejects.toMatchObject(gone);
  });

  it("throws wrong arguments without trying other replicas", async () => {
    const scan = collectRows(sales.scan({ columns: ["none"] }));
    await expect(scan).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(sales.get(["too", "many", "keys", 1, 2, 3] as never)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
    await expect(collectRows(sales.recover({ columns: ["none"] }, () => undefined))).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it("is recovered from its files alone if all logs are lost, in an unknown state", async () => {
    const changes = Object.fromEntries(holders.map((holder) => [holder, without(`/wals/${sales.id}`)]));
    await using cluster = await clusterOf(changes);
    const tablet = await cluster.tablet(sales.id);
    await expect(collectRows(tablet.scan())).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
    expect(await tablet.unflushed()).toBeUndefined();
    const ledgers: TabletLedger[] = [];
    const rows = await collectRows(
      tablet.recover(
        {},
        () => undefined,
        (ledger) => ledgers.push(ledger),
      ),
    );
    expect(ledgers).toMatchObject([{ snapshot: "unknown", asOf: undefined }]);
    expect(ledgers[0]?.replicas.map(({ use }) => use).sort()).toEqual(
      holders.map((_, i) => (i === 0 ? "behind" : i === holders.length - 1 ? "read" : "behind")).sort(),
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual((await expected).length + 100);
  });

  it("is recovered without a replica whose log does not show what it lacks", async () => {
    const unreadable = edited(`/wals/${sales.id}`, (bytes) => bytes.slice().fill(0, 0, 40));
    const others = holders.slice(1).map((holder) => [holder, cutLog] as const);
    await using cluster = await clusterOf({ ...Object.fromEntries(others), [firstHolder]: unreadable });
    const ledgers: TabletLedger[] = [];
    const onLedger = (ledger: TabletLedger): void => void ledgers.push(ledger);
    const tablet = await cluster.tablet(sales.id);
    const rows = await collectRows(tablet.recover({}, () => undefined, onLedger));
    expect(rows).toEqual(await expected);
    const uses = ledgers[0]?.replicas.map(({ server, use }) => [server, use]) ?? [];
    expect(uses).toContainEqual([uuids[firstHolder], "behind"]);
  });

  it("with the log of one server cut at its beginning reads what others have of it", async () => {
    await using cluster = await clusterOf({ [secondHolder]: cutLog });
    expect(await collectRows((await cluster.tablet(sales.id)).scan())).toEqual(await expected);
  });
});

describe("operations", () => {
  const at = (index: number) => ({
    term: 1n,
    index: BigInt(index),
    timestamp: BigInt(10 * index),
    isCommitted: true,
  });

  it("are ordered by term and index; an unknown one comes first", () => {
    expect(compareOperations(at(1), undefined)).toBe(1);
    expect(compareOperations(undefined, at(1))).toBe(-1);
    expect(compareOperations(undefined, undefined)).toBe(0);
  });

  it.each([
    [3, [1, 2, 3, 4], undefined],
    [3, [4, 5], 1n],
    [1, [1, 2, 4], 21n],
    [1, [], undefined],
  ])("from %d on, of %j, are complete until %s", (from, indexes, until) => {
    expect(completeUntil(BigInt(from), indexes.map(at))).toBe(until);
  });

  it("that fail because of a bug do not count as damage of a replica", () => {
    expect(isOfReplica(new CFileError("E_IO", "the disk fails", {}))).toBe(true);
    expect(isOfReplica(new TypeError("a bug"))).toBe(false);
  });
});

describe("a digest of rows", () => {
  const column = { id: 1, name: "b", type: "BINARY", isKey: true, nullable: false, array: false } as const;
  const digestOf = async (...batches: Uint8Array[][]): Promise<string> => {
    const digest = new RowDigest([column]);
    for (const values of batches) {
      const columns = [batchFromValues(column, values)];
      await digest.add({ length: values.length, firstRow: 0, names: ["b"], columns });
    }
    return digest.finish();
  };

  it("of many bytes is the same for all batches of the rows, and differs with each byte", async () => {
    const rows = Array.from({ length: 5 }, (_, i) => new Uint8Array(40_000).fill(i));
    const whole = await digestOf(rows);
    expect(await digestOf(rows.slice(0, 2), rows.slice(2))).toBe(whole);
    expect(await digestOf(rows.map((row, i) => (i === 3 ? row.slice().fill(9, 39_999) : row)))).not.toBe(
      whole,
    );
    expect(await digestOf(rows.slice(1))).not.toBe(whole);
  });
});

it("a table without a partition schema has no missing buckets", () => {
  const partition = { hashBuckets: [], keyStart: new Uint8Array(0), keyEnd: new Uint8Array(0) };
  expect(missingBuckets(undefined, [partition])).toEqual([]);
});
