/** Diffs of damaged tablets: two recovered snapshots, compared by key. */
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import { memoryTree } from "@cfile/io";
import { encodeRowKey } from "@cfile/rowset";
import { afterAll, describe, expect, it } from "vitest";
import { type KuduCluster, type KuduTablet, openKuduCluster } from "../src/index.js";
import { recoveredDiff, type TabletLedger } from "../src/recover.js";
import { ALL_SERVERS, clusterTables, filesOfServer } from "./cluster.js";
import { collectRows } from "./json-rows.js";

const cluster = await openKuduCluster(ALL_SERVERS);
afterAll(() => cluster.close());

async function changesOf(
  tablet: Parameters<typeof recoveredDiff>[0],
  from: bigint,
  to: bigint,
  batchRows?: number,
): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of recoveredDiff(tablet, from, to, { withLog: true, batchRows }, () => undefined)) {
    const cells = await collectRows(one(batch));
    rows.push(...cells.map((row, i) => [...row, batch.deleted[i] === 1]));
  }
  return rows;
}

async function* one(batch: TableBatch): AsyncGenerator<TableBatch> {
  yield batch;
}

/** The rows that differ between two snapshots, in the format of a diff; keys are the first columns. */
async function expectedChanges(tablet: KuduTablet, from: bigint, to: bigint): Promise<unknown[]> {
  const keyCount = tablet.schema.columns.filter(({ isKey }) => isKey).length;
  const at = async (asOf: bigint) =>
    new Map(
      (await collectRows(tablet.scan({ asOf, withLog: true }))).map((row) => [
        JSON.stringify(row.slice(0, keyCount)),
        row,
      ]),
    );
  const [before, after] = [await at(from), await at(to)];
  const changed: unknown[] = [];
  for (const [key, row] of before) {
    if (!after.has(key)) {
      changed.push([...row, true]);
    }
  }
  for (const [key, row] of after) {
    if (JSON.stringify(before.get(key)) !== JSON.stringify(row)) {
      changed.push([...row, false]);
    }
  }
  return changed.map((row) => JSON.stringify(row)).sort();
}

const snapshotsOf = (table: string): readonly bigint[] =>
  clusterTables("rows")
    .find((known) => known.table === table)
    ?.snapshots.map(({ timestamp }) => BigInt(timestamp)) ?? [];

async function compareAll(damaged: KuduCluster, table: string, times = snapshotsOf(table)): Promise<number> {
  let changes = 0;
  for (const tablet of (await cluster.table(table)).tablets) {
    const other = await damaged.tablet(tablet.id);
    for (const [i, from] of times.entries()) {
      for (const to of times.slice(i + 1, i + 2)) {
        const expected = await expectedChanges(tablet, from, to);
        const found = await changesOf(other, from, to, 7);
        expect(found.map((row) => JSON.stringify(row)).sort()).toEqual(expected);
        changes += expected.length;
      }
    }
  }
  return changes;
}

describe("recoveredDiff of a cluster", () => {
  it("has the rows that differ between the snapshots of undamaged replicas", async () => {
    const times = snapshotsOf("sales");
    expect(await compareAll(cluster, "sales", [...times.slice(1, 2), ...times.slice(-1)])).toBeGreaterThan(
      50,
    );
  });

  it("has the same rows if the blocks of a server are lost", async () => {
    const servers = ["master", "ts0", "ts1", "ts2", "ts3"].map((name) => {
      const files = filesOfServer(name);
      for (const path of files.keys()) {
        if (name === "ts0" && path.endsWith(".data")) {
          files.set(path, new Uint8Array(files.get(path)?.length ?? 0));
        }
      }
      return memoryTree(files, name);
    });
    await using damaged = await openKuduCluster(servers);
    expect(await compareAll(damaged, "renamed")).toBeGreaterThan(50);
  });
});

const column = {
  type: "INT8",
  nullable: false,
  array: false,
  encoding: undefined,
  compression: undefined,
  blockSize: undefined,
  readDefault: undefined,
  writeDefault: undefined,
  comment: undefined,
  immutable: false,
  autoIncrementing: false,
} as const;
const schema: KuduTablet["schema"] = {
  columns: [
    { ...column, id: 0, name: "id", isKey: true },
    { ...column, id: 1, name: "n", isKey: false },
  ],
};
const keyOf = (id: number): Uint8Array => encodeRowKey(schema, [id]);

interface StubSnapshot {
  readonly rows: Readonly<Record<number, number>>;
  readonly ledger?: Partial<TabletLedger>;
}

/** A tablet with these snapshots, by timestamp. */
function tabletOf(snapshots: Readonly<Record<number, StubSnapshot>>): Parameters<typeof recoveredDiff>[0] {
  const recover: KuduTablet["recover"] = async function* ({ asOf }, _onAccount, onLedger) {
    const { rows, ledger } = snapshots[Number(asOf)] ?? { rows: {} };
    const ids = Object.keys(rows).map(Number);
    if (ids.length > 0) {
      yield {
        length: ids.length,
        firstRow: 0,
        names: ["id", "n"],
        columns: [batchFromValues(column, ids), batchFromValues(column, Object.values(rows))],
      };
    }
    onLedger?.({
      tablet: "stub",
      asOf,
      snapshot: "requested",
      rows: ids.length,
      complete: ledger === undefined,
      replicas: [],
      sources: [],
      lost: [],
      different: [],
      rowsDifferent: 0,
      unseen: [],
      ...ledger,
    });
  };
  return { id: "stub", schema, recover };
}

describe("recoveredDiff", () => {
  const before = { 1: 10, 2: 20, 3: 30, 5: 50, 6: 60 };
  const after = { 1: 10, 3: 31, 4: 40, 5: 51, 7: 70 };

  it("has inserted, changed and deleted rows in key order", async () => {
    const tablet = tabletOf({ 1: { rows: before }, 2: { rows: after } });
    expect(await changesOf(tablet, 1n, 2n)).toEqual([
      [2, 20, true],
      [3, 31, false],
      [4, 40, false],
      [5, 51, false],
      [6, 60, true],
      [7, 70, false],
    ]);
    expect(await changesOf(tablet, 2n, 2n)).toEqual([]);
  });

  it.each([
    ["the earlier", 1],
    ["the later", 2],
  ])("leaves out keys that %s snapshot has lost, or that differ in it", async (_, lossy) => {
    const ledger = {
      lost: [
        { from: keyOf(2), to: keyOf(3), rows: 1 },
        { from: keyOf(6), to: undefined, rows: undefined },
      ],
      different: [{ key: keyOf(5), servers: [["a"], ["b"]], without: [] }],
      rowsDifferent: 1,
    };
    const tablet = tabletOf({
      1: { rows: before, ...(lossy === 1 && { ledger }) },
      2: { rows: after, ...(lossy === 2 && { ledger }) },
    });
    expect(await changesOf(tablet, 1n, 2n)).toEqual([[4, 40, false]]);
  });

  it("leaves out keys up to the first one that is known, and those of intervals that overlap", async () => {
    const lost = [
      { from: undefined, to: keyOf(2), rows: 1 },
      { from: keyOf(1), to: keyOf(3), rows: 1 },
      { from: keyOf(5), to: keyOf(5), rows: 1 },
    ];
    const tablet = tabletOf({ 1: { rows: before, ledger: { lost } }, 2: { rows: after } });
    expect(await changesOf(tablet, 1n, 2n)).toEqual([
      [4, 40, false],
      [6, 60, true],
      [7, 70, false],
    ]);
  });

  it.each([
    ["from", 1, "earlier"],
    ["to", 2, "unknown"],
  ] as const)("fails if operations before `%s` are lost", async (field, lossy, snapshot) => {
    const ledger = { snapshot };
    const tablet = tabletOf({
      1: { rows: before, ...(lossy === 1 && { ledger }) },
      2: { rows: after, ...(lossy === 2 && { ledger }) },
    });
    await expect(changesOf(tablet, 1n, 2n)).rejects.toMatchObject({ code: "E_NOT_FOUND", field });
  });

  it("fails if more rows differ than are listed", async () => {
    const tablet = tabletOf({ 1: { rows: before, ledger: { rowsDifferent: 2 } }, 2: { rows: after } });
    await expect(changesOf(tablet, 1n, 2n)).rejects.toMatchObject({ code: "E_LIMIT" });
  });
});
