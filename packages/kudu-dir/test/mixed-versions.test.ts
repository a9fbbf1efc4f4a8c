/** Servers of different versions of Kudu, opened together. */
import { pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import { afterAll, expect, it } from "vitest";
import { openKuduCluster } from "../src/index.js";
import { clusterPath, clusterTables } from "./cluster.js";
import { collectRows } from "./json-rows.js";
import type { ClientRows } from "./servers.js";

const VERSIONS = ["1.9.0", "1.12.0"];
const cluster = await openKuduCluster([
  ...VERSIONS.map((version) => pathToGolden(`kudu-versions/${version}/ts`)),
  ...["ts0", "ts1", "ts2"].map(clusterPath),
]);
afterAll(() => cluster.close());

const old = VERSIONS.flatMap((version) =>
  ["history", "unflushed"].map((table) => ({
    name: `${table} of Kudu ${version}`,
    client: readGoldenJson<ClientRows>(`kudu-versions/${version}/rows/${table}.json`),
  })),
);

it.each([
  ...old,
  ...clusterTables("rows")
    .filter(({ table }) => table === "sales")
    .map((client) => ({ name: "sales of Kudu 1.18.1", client })),
])("tables have the rows that Kudu's client read: $name", async ({ client: { snapshots, columns } }) => {
  for (const { timestamp, tablets } of snapshots) {
    for (const [id, rows] of Object.entries(tablets)) {
      const tablet = await cluster.tablet(id);
      const names = columns.map(
        (one) => tablet.schema.columns.find((column) => column.id === one.id)?.name ?? "?",
      );
      // Timestamps of 1.9.0 count operations.
      const options = { asOf: BigInt(timestamp), columns: names, withLog: true, partialHistory: true };
      expect(await collectRows(tablet.scan(options))).toEqual(rows);
    }
  }
});

it("tables with one name are chosen by their IDs", async () => {
  await expect(cluster.table("history")).rejects.toMatchObject({
    code: "E_INVALID_ARGUMENT",
    message: expect.stringMatching(/several tables are named "history"; use an ID: \w{32}, \w{32}/),
  });
});
