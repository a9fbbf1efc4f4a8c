import { MemoryArena } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { type KuduDir, type KuduTablet, openKuduDir } from "../src/index.js";
import { collectChanges, collectRows } from "./json-rows.js";
import { clientTables, type ServerName, serverPath } from "./servers.js";

const SERVERS: readonly ServerName[] = ["log", "file", "encrypted"];
const opened = new Map<ServerName, Promise<KuduDir>>();

function open(server: ServerName): Promise<KuduDir> {
  const dir = opened.get(server) ?? openKuduDir(serverPath(server));
  opened.set(server, dir);
  return dir;
}

const cases = SERVERS.flatMap((server) =>
  clientTables(server).map((client) => ({ server, client, name: `${server}, table ${client.table}` })),
);

function namesOf(tablet: KuduTablet, ids: readonly number[]): string[] {
  return ids.map((id) => tablet.schema.columns.find((column) => column.id === id)?.name ?? "?");
}

function asSet(rows: readonly (readonly unknown[])[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

describe.each(cases)("$name", ({ server, client }) => {
  const ids = client.columns.map(({ id }) => id);

  it("has the rows that Kudu's client read, at every timestamp", async () => {
    const dir = await open(server);
    const table = await dir.table(client.table);
    for (const { timestamp, tablets, label } of client.snapshots) {
      for (const [id, rows] of Object.entries(tablets)) {
        const tablet = await dir.tablet(id);
        expect(table.tablets).toContain(tablet);
        const columns = namesOf(tablet, ids);
        const asOf = BigInt(timestamp);
        const withLog = await collectRows(tablet.scan({ asOf, columns, withLog: true }));
        expect(withLog).toEqual(rows);
        const inAnyOrder = tablet.scan({
          asOf,
          columns,
          withLog: true,
          order: "any",
          arena: new MemoryArena(),
        });
        expect(asSet(await collectRows(inAnyOrder))).toEqual(asSet(rows));
        // Unflushed rows of the servers are in the write-ahead log.
        if (client.table !== "unflushed" || label === "flushed") {
          expect(await collectRows(tablet.scan({ asOf, columns }))).toEqual(rows);
        }
      }
    }
  });

  // The client did not read diffs of every table.
  it.each(client.diffs)(
    "has the changes from $from to $to that Kudu's client read",
    async ({ from, to, tablets }) => {
      const dir = await open(server);
      for (const [id, rows] of Object.entries(tablets)) {
        const tablet = await dir.tablet(id);
        const columns = namesOf(tablet, ids);
        expect(
          await collectChanges(tablet.diff(BigInt(from), BigInt(to), { columns, withLog: true })),
        ).toEqual(rows);
      }
    },
  );

  it("has all tablets of the table", async () => {
    const dir = await open(server);
    const table = await dir.table(client.table);
    const known = new Set(client.snapshots.flatMap(({ tablets }) => Object.keys(tablets)));
    for (const id of known) {
      expect(table.tablets.map((tablet) => tablet.id)).toContain(id);
    }
  });
});
