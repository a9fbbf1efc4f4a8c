import { afterAll, describe, expect, it } from "vitest";
import { type ClusterTable, type KuduCluster, type KuduTablet, openKuduCluster } from "../src/index.js";
import { ALL_SERVERS, clusterPath, clusterTables, TABLET_SERVERS } from "./cluster.js";
import { collectChanges, collectRows } from "./json-rows.js";
import type { ClientRows } from "./servers.js";

const opened: KuduCluster[] = [];
afterAll(() => Promise.all(opened.map((cluster) => cluster.close())));

async function open(...args: Parameters<typeof openKuduCluster>): Promise<KuduCluster> {
  const cluster = await openKuduCluster(...args);
  opened.push(cluster);
  return cluster;
}

function columnsOf(tablet: KuduTablet, client: ClientRows): string[] {
  return client.columns.map(
    ({ id }) => tablet.schema.columns.find((column) => column.id === id)?.name ?? "?",
  );
}

async function rowsByTablet(table: ClusterTable, client: ClientRows, asOf: bigint | undefined) {
  const rows: Record<string, unknown[][]> = {};
  for (const tablet of table.tablets) {
    const columns = columnsOf(tablet, client);
    rows[tablet.id] = await collectRows(tablet.scan({ asOf, columns, withLog: true }));
  }
  return rows;
}

describe.each(clusterTables("rows"))("all disks: table $table", (client) => {
  it.each(client.snapshots)(
    "has the rows that Kudu's client read: $label",
    async ({ timestamp, tablets }) => {
      const table = await (await all).table(client.table);
      expect(await rowsByTablet(table, client, BigInt(timestamp))).toEqual(tablets);
    },
  );

  it.each(client.diffs)(
    "has the diff from $from to $to that Kudu's client read",
    async ({ from, to, tablets }) => {
      const table = await (await all).table(client.table);
      for (const tablet of table.tablets) {
        const columns = columnsOf(tablet, client);
        const changes = tablet.diff(BigInt(from), BigInt(to), { columns, withLog: true });
        expect(await collectChanges(changes)).toEqual(tablets[tablet.id]);
      }
    },
  );

  it("has the last snapshot as its latest state", async () => {
    const table = await (await all).table(client.table);
    expect(await rowsByTablet(table, client, undefined)).toEqual(client.snapshots.at(-1)?.tablets);
  });
});

const all = open(ALL_SERVERS);

describe.each(TABLET_SERVERS)("without %s", (absent) => {
  const present = TABLET_SERVERS.filter((server) => server !== absent).map(clusterPath);

  it.each([
    ["with the master", [clusterPath("master")]],
    ["without the master", []],
  ])("has the last snapshot of replicated tables, %s", async (_, master) => {
    const cluster = await open([...master, ...present]);
    for (const client of clusterTables("rows")) {
      const table = await cluster.table(client.table);
      const { timestamp = "0", tablets = {} } = client.snapshots.at(-1) ?? {};
      expect(await rowsByTablet(table, client, BigInt(timestamp))).toEqual(tablets);
    }
  });
});

it("contains with unconfirmed writes what the restarted cluster had", async () => {
  const cluster = await open(ALL_SERVERS, { writes: "unconfirmed" });
  for (const client of clusterTables("after")) {
    const table = await cluster.table(client.table);
    const rows = await rowsByTablet(table, client, undefined);
    for (const { tablets } of client.snapshots) {
      for (const [id, expected] of Object.entries(tablets)) {
        expect(rows[id]).toEqual(expect.arrayContaining([...expected]));
      }
    }
  }
});
