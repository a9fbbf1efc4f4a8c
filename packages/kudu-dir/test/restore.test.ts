import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes } from "@cfile/bytes";
import { fileDirectory } from "@cfile/io/file";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { decodeTabletSuperBlockPB } from "../src/generated/decode.js";
import { encodeTabletSuperBlockPB } from "../src/generated/encode.js";
import {
  CATALOG_TABLET,
  checkCluster,
  checkKuduDir,
  type KuduCluster,
  type KuduTable,
  openKuduCluster,
  openKuduDir,
  restoreCluster,
} from "../src/index.js";
import { containerHeader, containerRecord } from "../src/load/container-record.js";
import { ALL_SERVERS, clusterPath, clusterTables, TABLET_SERVERS } from "./cluster.js";
import { collectChanges, collectRows } from "./json-rows.js";
import { restore } from "./restored.js";
import { type ClientRows, clientTables, type ServerName, serverPath } from "./servers.js";

const THREE = ["a:1", "b:2", "[::1]:3"];
/** Longer than the age of the fixtures. */
const historyMaxAgeSeconds = 100 * 365 * 86400;

/** Compares all snapshots and diffs with those that Kudu's client read. */
async function expectRows(table: KuduTable, client: ClientRows): Promise<void> {
  for (const tablet of table.tablets) {
    const columns = client.columns.map(
      ({ id }) => tablet.schema.columns.find((column) => column.id === id)?.name ?? "?",
    );
    const read = { columns, withLog: true };
    for (const { timestamp, tablets } of client.snapshots) {
      const rows = await collectRows(tablet.scan({ ...read, asOf: BigInt(timestamp) }));
      expect(rows).toEqual(tablets[tablet.id]);
    }
    for (const { from, to, tablets } of client.diffs) {
      expect(await collectChanges(tablet.diff(BigInt(from), BigInt(to), read))).toEqual(tablets[tablet.id]);
    }
  }
}

async function expectValid(path: string): Promise<void> {
  for (const server of readdirSync(path)) {
    await using dir = await openKuduDir(join(path, server));
    const problems: unknown[] = [];
    const { orphaned } = await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) });
    expect([problems, orphaned]).toEqual([[], []]);
  }
}

const isNot = (server: string) => (path: string) => !path.endsWith(server);
const four = restore(ALL_SERVERS);

describe("a restored cluster", () => {
  it.each(clusterTables("rows"))("has table $table at every snapshot, and its diffs", async (client) => {
    await using cluster = await openKuduCluster((await four).path, { historyMaxAgeSeconds });
    const table = await cluster.table(client.table);
    expect(table.tablets).toHaveLength(Object.keys(client.snapshots[0]?.tablets ?? {}).length);
    await expectRows(table, client);
  });

  it("has no damage, and replicas as its catalog records them", async () => {
    const { path } = await four;
    await expectValid(path);
    await using cluster = await openKuduCluster(path);
    expect(await checkCluster(cluster)).toMatchObject({ ok: true, servers: 2, tables: 7, replicas: 25 });
  });

  it("has the catalog of the old one, without dropped tables and private keys", async () => {
    const { path, report } = await four;
    await using old = await openKuduCluster(ALL_SERVERS);
    await using cluster = await openKuduCluster(path);
    const [before, after] = [await old.catalog(), await cluster.catalog()];
    expect([after?.clusterId, after?.redacted]).toEqual([before?.clusterId, 0]);
    expect(report.clusterId).toBe(before?.clusterId);
    const kept = [...(before?.tables.values() ?? [])].filter(({ state }) => state !== "removed");
    expect([...(after?.tables.keys() ?? [])].sort()).toEqual(kept.map(({ id }) => id).sort());
    for (const { reservedUntil, ...table } of kept) {
      const copy = after?.tables.get(table.id);
      expect(copy).toMatchObject({ ...table, replicas: 1 });
      // The period for recalling a soft-deleted table restarts.
      expect((copy?.reservedUntil ?? 0) - (reservedUntil ?? 0)).toBeGreaterThanOrEqual(0);
    }
    for (const [id, { partition, tableId, state }] of after?.tablets ?? []) {
      expect(before?.tablets.get(id)).toMatchObject({ partition, tableId, state });
    }
  });

  it("contains no byte of the old one's private keys", async () => {
    await using master = await openKuduDir(clusterPath("master"));
    const secrets: Buffer[] = [];
    for await (const batch of (await master.tablet(CATALOG_TABLET)).scan({ withLog: true })) {
      const [types = [], , messages = []] = batch.columns.map((column) =>
        column.toArray({ strings: "bytes" }),
      );
      const cells = messages.filter((_, row) => types[row] === 3 || types[row] === 4);
      secrets.push(...cells.map((cell) => Buffer.from(cell instanceof Uint8Array ? cell : [])));
    }
    expect(secrets).toHaveLength(2);
    const { path } = await four;
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      const bytes = entry.isFile() ? readFileSync(join(entry.parentPath, entry.name)) : Buffer.alloc(0);
      for (const secret of secrets) {
        expect(bytes.includes(secret.subarray(40, 60))).toBe(false);
      }
    }
  });

  it("has three replicas of each tablet on three servers, each of them complete", async () => {
    const { path, report } = await restore(ALL_SERVERS, { addresses: THREE });
    expect(report.servers.map(({ folder, address }) => [folder, address])).toEqual([
      ["master", undefined],
      ...THREE.map((address, i) => [`ts${i}`, address]),
    ]);
    await expectValid(path);
    await using cluster = await openKuduCluster(path);
    expect(await checkCluster(cluster)).toMatchObject({ ok: true, servers: 4, replicas: 75 });
    const peers = (await cluster.replicaSets())[0]?.config?.peers.map(({ address }) => address);
    expect(peers?.sort()).toEqual(["::1:3", "a:1", "b:2"]);
    for (const server of ["ts0", "ts1", "ts2"]) {
      await using dir = await openKuduDir(join(path, server), { historyMaxAgeSeconds });
      for (const client of clusterTables("rows")) {
        await expectRows(await dir.table(client.table), client);
      }
    }
  });

  it("has at most three replicas of a tablet, on all servers equally many", async () => {
    const { path } = await restore(ALL_SERVERS, { addresses: [...THREE, "d:4", "e:5"] });
    await using cluster = await openKuduCluster(path);
    expect(await checkCluster(cluster)).toMatchObject({ ok: true, servers: 6, replicas: 75 });
    for (const dir of cluster.servers.filter(({ uuid }) => uuid !== undefined)) {
      const { length } = (await dir.tablets()).filter(({ id }) => id !== CATALOG_TABLET);
      expect([0, 15]).toContain(length);
    }
  });
});

it("keeps the number of replicas that tables had, if requested", async () => {
  for (const dirs of [ALL_SERVERS, TABLET_SERVERS.map(clusterPath)]) {
    const { report } = await restore(dirs, { addresses: THREE, keepReplication: true });
    const replicas = Object.fromEntries(report.tables.map(({ name, replicas: count }) => [name, count]));
    expect(replicas).toMatchObject({ one_copy: 1, sales: 3, types: 3 });
  }
});

describe("restoring without a master", () => {
  const noMaster = TABLET_SERVERS.map(clusterPath);

  it("takes tables from superblocks, by their newest names", async () => {
    const { path, report } = await restore(noMaster);
    expect(report.clusterId).toBeUndefined();
    await expectValid(path);
    await using cluster = await openKuduCluster(path, { historyMaxAgeSeconds });
    for (const client of clusterTables("rows").filter(({ table }) => table !== "one_copy")) {
      await expectRows(await cluster.table(client.table), client);
    }
    const renamed = await cluster.table("renamed");
    expect([renamed.catalog?.state, renamed.catalog?.owner]).toEqual(["running", undefined]);
  });

  it("does not lose a hash partition without saying so", async () => {
    const three = noMaster.filter(isNot("ts3"));
    await expect(restore(three, { tables: ["one_copy"] })).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      message: expect.stringContaining(
        'table "one_copy": no tablet has hash partition 1, keys from 0x00000001',
      ),
    });
    const { report } = await restore(three, { tables: ["one_copy"], emptyMissing: true });
    expect(report.tables[0]?.gaps.map(({ partition }) => partition.hashBuckets)).toEqual([[1]]);
  });

  it("restores only the tables that are named", async () => {
    const { report } = await restore(noMaster, { tables: ["sales", "38264a5ae6784c3e9f6d54845c1d24d9"] });
    expect(report.tables.map(({ name }) => name)).toEqual(["renamed", "sales"]);
  });
});

describe("a tablet without a replica", () => {
  const dirs = ["master", "ts0", "ts1", "ts2"].map(clusterPath);

  it("is an error before anything is written", async () => {
    const path = temporaryFolder();
    await using cluster = await openKuduCluster(dirs);
    const openFolder = (folder: string) => fileDirectory(join(path, folder), { create: true });
    await expect(restoreCluster(cluster, { openFolder })).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      message: expect.stringMatching(/tablet [0-9a-f]{32} of table "one_copy"/),
    });
    expect(readdirSync(path)).toEqual([]);
  });

  it("is created without rows if requested", async () => {
    const { path, report } = await restore(dirs, { emptyMissing: true });
    const { tablets = [] } = report.tables.find(({ name }) => name === "one_copy") ?? {};
    expect(tablets.filter(({ server }) => server === undefined)).toMatchObject([{ rows: 0 }]);
    await using cluster = await openKuduCluster(path);
    expect(await checkCluster(cluster)).toMatchObject({ ok: true });
    expect((await cluster.table("one_copy")).tablets).toHaveLength(4);
  });
});

describe("a replica of a dropped partition", () => {
  /** A copy of a server with an additional tablet, which has the partition of another one. */
  async function withLeftover(): Promise<string> {
    const path = join(temporaryFolder(), "ts0");
    cpSync(clusterPath("ts0"), path, { recursive: true });
    await using dir = await openKuduDir(path);
    const [tablet] = (await dir.table("sales")).tablets;
    const file = await dir.metadataFile("tablet-meta", tablet?.id ?? "");
    const description = file?.description ?? new Uint8Array(0);
    const message = decodeTabletSuperBlockPB(
      new MessageReader(file?.record ?? new Uint8Array(0), "TabletSuperBlockPB"),
    );
    const tabletId = "12".repeat(16);
    const [folder] = dir.roots.metadataFolders;
    writeFileSync(
      join(folder?.tree.name ?? "", folder?.path ?? "", tabletId),
      concatBytes([
        containerHeader(description, "kudu.tablet.TabletSuperBlockPB"),
        containerRecord(messageBytes(encodeTabletSuperBlockPB, { ...message, tabletId, rowsets: [] })),
      ]),
    );
    return path;
  }

  it("is left out if the catalog does not have it", async () => {
    const { path, report } = await restore([await withLeftover(), ...ALL_SERVERS.filter(isNot("ts0"))]);
    expect(report.tables.flatMap(({ notes }) => notes)).toEqual([
      `tablet ${"12".repeat(16)} is not in the catalog (its partition was dropped)`,
    ]);
    await using cluster = await openKuduCluster(path);
    expect(await checkCluster(cluster)).toMatchObject({ ok: true, replicas: 25 });
  });

  it("is an error without a master", async () => {
    const dirs = [await withLeftover(), ...ALL_SERVERS.filter(isNot("ts0")).filter(isNot("master"))];
    await expect(restore(dirs)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      message: expect.stringContaining("have the same keys; one of them was dropped"),
    });
  });
});

describe("a damaged replica", () => {
  /** A copy of the cluster with a changed byte in each file of one server with this extension. */
  function damaged(server: string, extension: string): string {
    const path = temporaryFolder();
    for (const name of ["master", ...TABLET_SERVERS]) {
      cpSync(clusterPath(name), join(path, name), { recursive: true });
    }
    for (const entry of readdirSync(join(path, server), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && entry.name.endsWith(extension)) {
        const bytes = readFileSync(file);
        for (let at = 50; at < bytes.length; at += 1000) {
          bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        }
        writeFileSync(file, bytes);
      }
    }
    return path;
  }

  it("is not used if another one is whole", async () => {
    const dirs = damaged("ts0", ".data");
    const { path, report } = await restore([dirs], { tables: ["sales", "types"] });
    const tablets = report.tables.flatMap((table) => table.tablets);
    expect(tablets).toHaveLength(8);
    await using cluster = await openKuduCluster(path, { historyMaxAgeSeconds });
    for (const client of clusterTables("rows").filter(({ table }) => ["sales", "types"].includes(table))) {
      await expectRows(await cluster.table(client.table), client);
    }
  });

  it("gives the rows that can be recovered from all replicas and logs if no other one is left", async () => {
    const dirs = damaged("ts0", ".data");
    const { path, report } = await restore([dirs], {
      tables: ["one_copy"],
      recover: true,
      addresses: ["a:1", "b:2"],
    });
    await expectValid(path);
    await using old = await openKuduCluster(ALL_SERVERS);
    await using cluster = await openKuduCluster(path);
    expect(await checkCluster(cluster)).toMatchObject({ ok: true, replicas: 8 });
    const rowsOf = async (from: KuduCluster) => collectRows((await from.table("one_copy")).scan());
    const [all, recovered] = [await rowsOf(old), await rowsOf(cluster)];
    const texts = new Set(all.map((row) => JSON.stringify(row)));
    expect(recovered.filter((row) => !texts.has(JSON.stringify(row)))).toEqual([]);
    const { tablets = [] } = report.tables[0] ?? {};
    const [affected, ...others] = tablets.filter(({ notes }) => notes.length > 0);
    expect([others, affected?.notes[0]]).toEqual([
      [],
      "no replica is whole: the rows that could be recovered have no earlier history",
    ]);
    expect(tablets.reduce((sum, { rows }) => sum + rows, 0)).toBe(recovered.length);
    // The log still has the insertions of all rows.
    expect(recovered.length).toBe(all.length);
  });

  it("is an error that names tablet and server if no other one is left", async () => {
    const dirs = damaged("ts0", ".data");
    await expect(restore([dirs], { tables: ["one_copy"] })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^tablet [0-9a-f]{32} has no undamaged replica .* the one of server b74c30681c144014a98765e92a226b88: /,
      ),
    });
  });
});

describe.each<ServerName>(["log", "file", "encrypted"])("restored from a single server: %s", (server) => {
  it("has all tables at every snapshot, unencrypted", async () => {
    const { path, report } = await restore([serverPath(server)]);
    expect(report.tables.length).toBeGreaterThanOrEqual(clientTables(server).length);
    await expectValid(path);
    await using dir = await openKuduDir(join(path, "ts0"), { historyMaxAgeSeconds });
    expect(dir.encrypted).toBe(false);
    for (const client of clientTables(server)) {
      await expectRows(await dir.table(client.table), client);
    }
  });
});

it.each([
  ["is not HOST:PORT", ["here"]],
  ["has an invalid port", ["a:70000"]],
  ["is given twice", ["a:1", "a:1"]],
  ["is missing", []],
])("an address that %s is an invalid argument", async (_, addresses) => {
  await expect(restore(ALL_SERVERS, { addresses })).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});
