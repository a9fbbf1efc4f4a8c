import { readGoldenJson } from "@cfile-tools/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { CATALOG_TABLET, openKuduCluster, openKuduDir } from "../src/index.js";
import { ALL_SERVERS, clusterPath, serverFacts } from "./cluster.js";

interface ListedTable {
  readonly name: string;
  readonly num_tablets: number;
  readonly num_replicas: number;
  readonly tablet_with_partition: readonly {
    readonly tablet_id: string;
    readonly replica_info: readonly {
      readonly role: string;
      readonly uuid: string;
      readonly host_port: string;
    }[];
  }[];
}

const listed = readGoldenJson<{ tables: readonly ListedTable[] }>("kudu-cluster/four/facts/list.json").tables;
const opening = openKuduCluster(ALL_SERVERS);
afterAll(async () => (await opening).close());

describe("the catalog of a master", () => {
  it("lists the tables that `kudu table list` lists, and soft-deleted and dropped ones", async () => {
    const catalog = await (await opening).catalog();
    const tables = [...(catalog?.tables.values() ?? [])];
    const named = (state: string): string[] =>
      tables.filter((one) => one.state === state).map(({ name }) => name);
    expect(named("running").sort()).toEqual(listed.map(({ name }) => name).sort());
    expect(named("soft deleted")).toEqual(["soft_deleted"]);
    expect(named("removed")).toEqual(["dropped"]);
    for (const { name, num_replicas } of listed) {
      expect(tables.find((table) => table.name === name)?.replicas).toBe(num_replicas);
    }
  });

  it.each(listed)(
    "has the tablets and replicas of $name",
    async ({ name, num_tablets, tablet_with_partition }) => {
      const catalog = await (await opening).catalog();
      const table = await (await opening).table(name);
      expect(table.tablets).toHaveLength(num_tablets);
      for (const { tablet_id, replica_info } of tablet_with_partition) {
        const tablet = catalog?.tablets.get(tablet_id);
        const peers = tablet?.config?.peers ?? [];
        expect(peers.map(({ uuid }) => uuid).sort()).toEqual(replica_info.map(({ uuid }) => uuid).sort());
        expect(tablet?.leader).toBe(replica_info.find(({ role }) => role === "L")?.uuid);
        for (const { uuid, host_port } of replica_info) {
          expect(peers.find((peer) => peer.uuid === uuid)?.address).toBe(host_port);
        }
      }
    },
  );

  it("has owner, comment, extra configuration and the time until which a dropped table can be recovered", async () => {
    const catalog = await (await opening).catalog();
    const tables = [...(catalog?.tables.values() ?? [])];
    const sales = tables.find(({ name }) => name === "sales");
    expect([sales?.owner, sales?.comment]).toEqual(["etl", "orders by region"]);
    const dropped = tables.find(({ name }) => name === "soft_deleted");
    expect(dropped?.extraConfig.size).toBe(1);
    expect(dropped?.reservedUntil).toBeGreaterThan(dropped?.createdAt ?? 0);
  });

  it("counts entries with private keys and keeps none of their bytes", async () => {
    const catalog = await (await opening).catalog();
    expect(catalog?.redacted).toBe(2);
    const master = await openKuduDir(clusterPath("master"));
    const secrets: string[] = [];
    for await (const batch of (await master.tablet(CATALOG_TABLET)).scan({ withLog: true })) {
      const [types = [], , messages = []] = batch.columns.map((column) => column.toArray());
      secrets.push(...messages.filter((_, row) => types[row] === 3 || types[row] === 4).map(String));
    }
    await master.close();
    expect(secrets).toHaveLength(2);
    const shown = JSON.stringify(catalog, (_, value) => {
      if (value instanceof Map) {
        return [...value];
      }
      return typeof value === "bigint" ? String(value) : value;
    });
    for (const secret of secrets) {
      expect(shown).not.toContain(secret.slice(10, 40));
    }
  });
});

describe("replicas", () => {
  it("of all tablets are on the servers that the facts name, or tombstones of moved ones", async () => {
    const uuids = Object.values(serverFacts().servers);
    let tombstones = 0;
    for (const { config, replicas } of await (await opening).replicaSets()) {
      const voters = config?.peers.map(({ uuid }) => uuid).sort();
      const ready = replicas.filter(({ tablet }) => tablet.state === "ready").map(({ server }) => server);
      tombstones += replicas.length - ready.length;
      expect(ready.sort()).toEqual(voters);
      expect(uuids).toEqual(expect.arrayContaining(ready));
    }
    expect(tombstones).toBe(1);
  });

  it("that were stopped are behind and not read", async () => {
    const { servers, stopped } = serverFacts();
    const tablets = await (await opening).replicaSets();
    const behind = tablets.filter(({ longest, replicas }) =>
      replicas.some(
        ({ server, log }) => server === servers[stopped] && log.length < (longest?.log.length ?? 0),
      ),
    );
    expect(behind.length).toBeGreaterThan(5);
    for (const { readable } of behind) {
      expect(readable[0]?.server).not.toBe(servers[stopped]);
    }
  });
});

describe("what is missing", () => {
  it("is an error that names the tablet, or is reported", async () => {
    const cluster = await openKuduCluster([clusterPath("master"), clusterPath("ts0")]);
    const table = await cluster.table("one_copy");
    expect(table.missing).toHaveLength(3);
    const [first] = table.missing;
    await expect(table.scan().next()).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      message: expect.stringContaining(
        `tablet ${first?.id} cannot be read: no replica is in the directories`,
      ),
    });
    const reported: string[] = [];
    let rows = 0;
    for await (const { length } of table.scan({ onUnreadable: ({ tablet }) => reported.push(tablet) })) {
      rows += length;
    }
    expect(reported).toEqual(table.missing.map(({ id }) => id));
    expect(rows).toBeGreaterThan(0);
    await cluster.close();
  });

  it("includes tablets that only have a tombstone", async () => {
    const cluster = await openKuduCluster([clusterPath("master"), clusterPath("ts0")]);
    const table = await cluster.table("sales");
    const reasons = table.missing
      .map(({ error }) => error.reason)
      .filter((text) => text.includes("tombstoned"));
    expect(reasons).toHaveLength(1);
    await cluster.close();
  });
});
