import { checkCluster, openKuduCluster } from "@cfile/kudu-dir";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { syntheticCluster } from "../src/index.js";

const OPTIONS = { tables: 3, tabletsPerTable: 4, writes: 6, rowsPerWrite: 5, rows: 40 };

async function liveRows(path: string): Promise<{ rows: number; keys: number }> {
  await using cluster = await openKuduCluster(path);
  const keys = new Set<string>();
  let rows = 0;
  for (const table of await cluster.tables()) {
    for await (const { columns, length, tablet } of table.scan({ columns: ["key"] })) {
      rows += length;
      for (const key of columns[0]?.toArray() ?? []) {
        keys.add(`${tablet.id} ${String(key)}`);
      }
    }
  }
  return { rows, keys: keys.size };
}

it("a synthetic cluster has its tablets, replicas that are behind, tombstones, and all rows", async () => {
  const path = temporaryFolder();
  const facts = await syntheticCluster(path, { servers: 4, ...OPTIONS });
  expect(facts).toEqual({
    tables: 3,
    tablets: 12,
    replicas: 36,
    tombstones: 2,
    behind: 3,
    liveRows: 12 * 70,
  });
  await using cluster = await openKuduCluster(path);
  const report = await checkCluster(cluster, { compareRows: true });
  expect(report).toMatchObject({ servers: 5, tables: 3, tablets: 12, replicas: 38 });
  expect(report.problems.map(({ kind }) => kind)).toEqual(new Array(3).fill("replica behind"));
  expect(await liveRows(path)).toEqual({ rows: facts.liveRows, keys: facts.liveRows });
});

it("a synthetic cluster of one server has one replica of each tablet", async () => {
  const path = temporaryFolder();
  const facts = await syntheticCluster(path, { servers: 1, ...OPTIONS });
  expect(facts).toMatchObject({ replicas: 12, tombstones: 0, behind: 0 });
  await using cluster = await openKuduCluster(path);
  expect((await checkCluster(cluster)).problems).toEqual([]);
  expect(await liveRows(path)).toEqual({ rows: facts.liveRows, keys: facts.liveRows });
});

it("replicas of a synthetic cluster that differ are found, and their rows are left out of what is recovered", async () => {
  const path = temporaryFolder();
  const { tablets } = await syntheticCluster(path, { servers: 4, ...OPTIONS, differing: 2 });
  await using cluster = await openKuduCluster(path);
  const { problems, compared } = await checkCluster(cluster, { compareRows: true });
  const differing = problems.filter(({ kind }) => kind === "replicas differ");
  expect(differing).toHaveLength(2);
  for (const { tablet, server, reason } of differing) {
    const digests = compared.find((one) => one.tablet === tablet)?.replicas ?? [];
    const [other] = digests.filter((one) => one.server !== server);
    const found = digests.find((one) => one.server === server);
    expect(digests.filter(({ digest }) => digest === other?.digest)).toHaveLength(2);
    expect([found?.rows, found?.digest === other?.digest]).toEqual([other?.rows, false]);
    expect(reason).toContain("with a digest that differs");
  }
  let left = 0;
  for (const table of await cluster.tables()) {
    for (const tablet of table.tablets) {
      const recover = tablet.recover(
        { withLog: true },
        () => undefined,
        ({ different }) => {
          left += different.length;
          for (const { servers } of different) {
            expect(servers.map((group) => group.length).sort()).toEqual([1, 2]);
          }
        },
      );
      let rows = 0;
      for await (const { length } of recover) {
        rows += length;
      }
      expect([69, 70]).toContain(rows);
    }
  }
  expect([left, tablets]).toEqual([2, 12]);
});
