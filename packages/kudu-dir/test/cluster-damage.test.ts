import { type FileTree, memoryTree } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { parseContainerFile } from "../src/blocks/container-file.js";
import { checkCluster, openKuduCluster } from "../src/index.js";
import { containerRecord } from "../src/load/container-record.js";
import { parseLogSegment } from "../src/log/log-segment.js";
import { clusterPath, clusterTables, filesOfServer, type ServerFiles, serverFacts } from "./cluster.js";
import { collectRows } from "./json-rows.js";

function tree(
  server: string,
  change: (files: ServerFiles) => void = () => undefined,
  name = server,
): FileTree {
  const files = filesOfServer(server);
  change(files);
  return memoryTree(files, name);
}

const sales = clusterTables("rows").find(({ table }) => table === "sales");
const last = sales?.snapshots.at(-1);

async function salesRows(trees: readonly FileTree[]): Promise<unknown[][]> {
  await using cluster = await openKuduCluster(trees);
  const table = await cluster.table("sales");
  const rows: unknown[][] = [];
  for (const tablet of table.tablets) {
    rows.push(...(await collectRows(tablet.scan({ asOf: BigInt(last?.timestamp ?? 0), withLog: true }))));
  }
  return rows;
}

const expected = Object.values(last?.tablets ?? {}).flat();
const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

describe("a damaged cluster", () => {
  it.each([
    ["consensus metadata are lost", (files: ServerFiles) => remove(files, "consensus-meta/")],
    ["consensus metadata are cut short", (files: ServerFiles) => cut(files, "consensus-meta/", 20)],
    ["all logs are lost", (files: ServerFiles) => remove(files, "/wals/")],
    ["all logs are damaged in their middle", (files: ServerFiles) => flip(files, "/wals/")],
    ["all containers' journals are lost", (files: ServerFiles) => remove(files, ".metadata")],
    ["superblocks are damaged", (files: ServerFiles) => flip(files, "tablet-meta/")],
  ])("has all rows when one server's %s", async (_, change) => {
    const trees = [tree("master"), tree("ts0"), tree("ts1", change), tree("ts2"), tree("ts3")];
    expect(expected.length).toBeGreaterThan(50);
    expect(sorted(await salesRows(trees))).toEqual(sorted(expected));
  });

  it("reads a root that is given twice once", async () => {
    await using cluster = await openKuduCluster([clusterPath("ts0"), clusterPath("ts0")]);
    expect(cluster.servers).toHaveLength(1);
    expect(await cluster.problems()).toEqual([]);
  });

  it.each([
    [
      "a whole server",
      "copy",
      () => undefined,
      /two data directories of server \w{32}: ts0\/data1\/data and copy\/data1\/data/,
    ],
    [
      "a metadata directory that has changed since",
      "old",
      (files: ServerFiles) => keep(files, "wal/"),
      /two metadata directories of server \w{32}: ts0\/wal\/tablet-meta and old\/wal\/tablet-meta; pass only one/,
    ],
  ])("refuses a copied disk with the identity of another one: %s", async (_, name, change, message) => {
    const copy = tree("ts0", change, name);
    await expect(openKuduCluster([tree("ts0"), copy])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "uuid",
      message: expect.stringMatching(message),
    });
  });

  it("reports tablets that the catalog of another cluster does not list", async () => {
    await using cluster = await openKuduCluster([tree("master", withoutTables), tree("ts0")]);
    const { ok, problems } = await checkCluster(cluster);
    expect(ok).toBe(false);
    const unlisted = problems.filter(({ kind }) => kind === "not in the catalog");
    expect(unlisted.length).toBeGreaterThan(5);
    for (const { reason } of unlisted) {
      expect(reason).toMatch(/^ts0\/\S+ has the tablet, but the catalog of master does not list it; .*leave/);
    }
    // Its rows can still be read.
    const table = await cluster.table("one_copy");
    expect((await collectRows(table.scan())).length).toBeGreaterThan(0);
  });

  it.each([
    ["damaged", (files: ServerFiles) => flip(files, "wals/")],
    ["lost", (files: ServerFiles) => remove(files, "wals/")],
  ])("is read without its catalog if the log of the master is %s, which is reported", async (_, change) => {
    const trees = [tree("master", change), ...["ts0", "ts1", "ts2", "ts3"].map((server) => tree(server))];
    expect(sorted(await salesRows(trees))).toEqual(sorted(expected));
    await using cluster = await openKuduCluster(trees);
    await expect(cluster.catalog()).rejects.toMatchObject({ name: "CFileError" });
    const { problems } = await checkCluster(cluster);
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: "catalog damaged", reason: expect.stringContaining("superblocks") }),
    );
  });

  it("is not read without its catalog if a hash bucket of the table has no tablet, which is reported", async () => {
    const servers = ["ts0", "ts1", "ts2", "ts3"];
    await using whole = await openKuduCluster(servers.map((server) => tree(server)));
    const [gone] = (await whole.table("sales")).tablets;
    const without = (files: ServerFiles) => remove(files, `tablet-meta/${gone?.id}`);
    const trees = servers.map((server) => tree(server, without));
    await using cluster = await openKuduCluster([tree("master", (files) => flip(files, "wals/")), ...trees]);
    const table = await cluster.table("sales");
    expect(table.missing).toMatchObject([
      {
        partition: { hashBuckets: gone?.superblock.partition.hashBuckets },
        error: { code: "E_NOT_FOUND", field: "tablet" },
      },
    ]);
    await expect(collectRows(table.scan())).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    const left: string[] = [];
    const rows = await collectRows(table.scan({ onUnreadable: ({ error }) => left.push(error.code) }));
    expect([left, rows.length > 0]).toEqual([["E_NOT_FOUND"], true]);
    // Without a master, a few servers may be the whole cluster.
    await using few = await openKuduCluster(trees);
    expect((await few.table("sales")).missing).toEqual([]);
  });

  it("has all rows when the instance files of two servers' metadata directories are damaged", async () => {
    const change = (files: ServerFiles) => flip(files, "wal/instance");
    const trees = [tree("master"), tree("ts0", change), tree("ts1", change), tree("ts2"), tree("ts3")];
    await using cluster = await openKuduCluster(trees);
    expect(cluster.servers).toHaveLength(5);
    expect(sorted(await salesRows(trees))).toEqual(sorted(expected));
  });

  it("distinguishes servers without any instance file by their data directories", async () => {
    const change = (files: ServerFiles) => remove(files, "/instance");
    await using cluster = await openKuduCluster([tree("master"), tree("ts0", change), tree("ts1", change)]);
    expect(cluster.servers).toHaveLength(3);
    expect(cluster.servers.map(({ roots }) => roots.names.length)).toEqual([1, 2, 3]);
  });

  it.each([
    ["with the master", [tree("master")], /its superblock is damaged: .*tablet-meta/],
    [
      "without a master",
      [],
      /superblock is damaged, and without a master its table is unknown: .*tablet-meta/,
    ],
  ])("reports a tablet whose only superblock is damaged, %s", async (_, master, message) => {
    await using intact = await openKuduCluster([tree("ts0")]);
    const [only] = (await intact.table("one_copy")).tablets;
    const damaged = tree("ts0", (files) => flip(files, `tablet-meta/${only?.id}`));
    await using cluster = await openKuduCluster([...master, damaged, tree("ts1")]);
    const table = await cluster.table("one_copy");
    const absent = table.missing.find(({ id }) => id === only?.id);
    expect(absent?.error.reason).toMatch(message);
    await expect(table.scan().next()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  it("calls writes possible if no Raft configuration is left", async () => {
    const trees = ["ts0", "ts1", "ts2", "ts3"].map((server) =>
      tree(server, (files) => cut(files, "consensus-meta/", 20)),
    );
    expect(sorted(await salesRows(trees))).toEqual(sorted(expected));
    await using cluster = await openKuduCluster(trees);
    const unknown = (await cluster.replicaSets()).filter(({ config }) => config === undefined);
    expect(unknown.length).toBeGreaterThan(5);
    expect(unknown.flatMap(({ unconfirmed }) => unconfirmed)).toEqual([]);
    const { problems } = await checkCluster(cluster);
    const damaged = problems.filter(({ kind }) => kind === "replica damaged");
    expect(damaged.map(({ reason }) => reason)).toContainEqual(expect.stringContaining("consensus-meta/"));
  });

  it.each([
    ["tombstoned", 3, "tombstoned on server"],
    ["still being copied", 0, "copying on server"],
  ])("says where to look if the only replica is %s", async (_, state, words) => {
    const { servers } = serverFacts();
    const tombstone = tree("ts0", (files) => setState(files, state));
    await using cluster = await openKuduCluster([tree("master"), tombstone]);
    const table = await cluster.table("events");
    expect(table.tablets).toEqual([]);
    const reasons = table.missing.map(({ error }) => error.reason).filter((text) => text.includes(words));
    expect(reasons.length).toBeGreaterThan(2);
    for (const reason of reasons) {
      expect(reason).toContain(`${words} ${servers["ts0"]}`);
      expect(reason).toMatch(/add the directories of server \w{32} \(\S+:\d+\) or/);
    }
    await expect(table.scan().next()).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  it("names damage of replicas in the check", async () => {
    const trees = [tree("master"), tree("ts0"), tree("ts1", (files) => flip(files, "/wals/")), tree("ts2")];
    await using cluster = await openKuduCluster(trees);
    const { problems } = await checkCluster(cluster);
    const damaged = problems.filter(({ kind }) => kind === "replica damaged");
    expect(damaged.length).toBeGreaterThan(5);
    expect(new Set(damaged.map(({ server }) => server)).size).toBe(1);
  });
});

/** Keeps only the entries of the catalog's log from before the first table. */
function withoutTables(files: ServerFiles): void {
  for (const [path, bytes] of files) {
    if (path.includes("/wals/") || path.startsWith("wals/")) {
      const { entries } = parseLogSegment(bytes, path);
      files.set(path, bytes.slice(0, entries[4]?.offset));
    }
  }
}

/** Writes a different state into all superblocks. */
function setState(files: ServerFiles, state: number): void {
  for (const [path, bytes] of files) {
    if (path.includes("tablet-meta/")) {
      files.set(path, withState(bytes, state));
    }
  }
}

/** Appends the state as a second value of its field, which overrides the first. */
function withState(bytes: Uint8Array, state: number): Uint8Array {
  const { records, offsets } = parseContainerFile(bytes, "superblock");
  const field = Uint8Array.of(10 << 3, state);
  const record = containerRecord(Buffer.concat([records[0] ?? field, field]));
  return Buffer.concat([bytes.subarray(0, offsets[0]), record]);
}

function keep(files: ServerFiles, part: string): void {
  for (const path of [...files.keys()].filter((one) => !one.startsWith(part))) {
    files.delete(path);
  }
}

function remove(files: ServerFiles, part: string): void {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    files.delete(path);
  }
}

function cut(files: ServerFiles, part: string, length: number): void {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    files.set(path, files.get(path)?.slice(0, length) ?? new Uint8Array(0));
  }
}

function flip(files: ServerFiles, part: string): void {
  for (const path of [...files.keys()].filter((one) => one.includes(part))) {
    const bytes = files.get(path)?.slice() ?? new Uint8Array(0);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    files.set(path, bytes);
  }
}
