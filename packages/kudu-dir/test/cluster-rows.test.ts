import { afterAll, describe, expect, it } from "vitest";
import { type ClusterTable, type KuduCluster, type KuduTablet, openKuduCluster } from "../src/index.js";
import { ALL_SERVERS, clusterPath, clusterTables, serverFacts, TABLET_SERVERS } from "./cluster.js";
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

const pairs = TABLET_SERVERS.flatMap((first, i) =>
  TABLET_SERVERS.slice(i + 1).map((second) => [first, second] as const),
);

describe.each(pairs)("only %s and %s", (...present) => {
  const { servers } = serverFacts();
  const here: readonly (string | undefined)[] = present.map((name) => servers[name]);

  it.each([
    ["with the master", [clusterPath("master")]],
    ["without the master", []],
  ])(
    "have the last snapshot where two of three voters are, and say what may be missing elsewhere, %s",
    async (_, master) => {
      const cluster = await open([...master, ...present.map(clusterPath)]);
      let complete = 0;
      let cut = 0;
      for (const client of clusterTables("rows")) {
        const table = await cluster.table(client.table);
        const { timestamp = "0", tablets: expected = {} } = client.snapshots.at(-1) ?? {};
        for (const { id, config, unseen, lineage } of await cluster.replicaSets(table.id)) {
          const voters = config?.peers.map(({ uuid }) => uuid) ?? [];
          const absent = voters.filter((uuid) => !here.includes(uuid));
          const tablet = table.tablets.find((one) => one.id === id);
          if (tablet === undefined) {
            const { error } = table.missing.find((one) => one.id === id) ?? {};
            expect(error?.reason).toMatch(/tombstoned on server .*; add the directories of server/);
          } else if (2 * absent.length < voters.length) {
            complete++;
            expect(unseen).toEqual([]);
            const columns = columnsOf(tablet, client);
            const rows = tablet.scan({ asOf: BigInt(timestamp), columns });
            expect(await collectRows(rows)).toEqual(expected[id]);
          } else {
            cut++;
            expect([...unseen].sort()).toEqual([...absent].sort());
            // The replica is correct up to its last operation.
            const end = (lineage.at(-1)?.timestamp ?? 0n) + 1n;
            const asOf = end < BigInt(timestamp) ? end : BigInt(timestamp);
            const whole = (await (await all).table(client.table)).tablets.find((one) => one.id === id);
            expect(await commonRows(tablet, whole, asOf)).toEqual(await commonRows(whole, tablet, asOf));
          }
        }
      }
      expect(complete).toBeGreaterThan(3);
      expect(cut).toBeGreaterThan(3);
      const { tablets, missing } = await cluster.table("one_copy");
      expect([tablets.length, missing.length]).toEqual([2, master.length === 0 ? 0 : 2]);
      for (const { error } of missing) {
        expect(error.reason).toMatch(/no replica is in the directories; add the directories of server/);
      }
    },
  );
});

/** The rows of a tablet in the columns that it has in both schemas. */
async function commonRows(
  tablet: KuduTablet | undefined,
  other: KuduTablet | undefined,
  asOf: bigint,
): Promise<unknown[][]> {
  const ids = other?.schema.columns.map(({ id }) => id) ?? [];
  const columns = tablet?.schema.columns.filter(({ id }) => ids.includes(id)) ?? [];
  const names = columns.sort((left, right) => left.id - right.id).map(({ name }) => name);
  return tablet === undefined ? [] : collectRows(tablet.scan({ asOf, columns: names }));
}

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
