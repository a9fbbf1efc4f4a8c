/** Rows of replicas that disagree, some with damaged logs. */
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import { expect, it } from "vitest";
import { keyedProjection, validRows } from "../src/recover/keyed-rows.js";
import { mergeReplicas, type ReplicaRows } from "../src/recover/merge-replicas.js";
import { LedgerRanges } from "../src/recover/tablet-ledger.js";
import { collectRows } from "./json-rows.js";

const column = { type: "INT8", nullable: false, array: false } as const;
const schema = {
  columns: ["id", "n"].map((name, id) => ({ ...column, id, name, isKey: id === 0 })),
};

function replica(server: string, rows: Readonly<Record<number, number>>, isUncertain = false): ReplicaRows {
  const ids = Object.keys(rows).map(Number);
  async function* batches(): AsyncGenerator<TableBatch> {
    const columns = [batchFromValues(column, ids), batchFromValues(column, Object.values(rows))];
    yield { length: ids.length, firstRow: 0, names: ["id", "n"], columns };
  }
  const open = () => validRows(batches(), keyedProjection(schema));
  return { server, parts: [{ minKey: new Uint8Array(0), open }], isUncertain };
}

async function merged(replicas: readonly ReplicaRows[]) {
  const ledger = new LedgerRanges();
  const settings = { requested: 2, batchRows: 10, limit: Number.POSITIVE_INFINITY };
  const rows = await collectRows(mergeReplicas(replicas, settings, ledger));
  return { rows, different: ledger.different.map(({ servers, without }) => ({ servers, without })) };
}

it("rows of certain replicas count if an uncertain one disagrees", async () => {
  const certain = { 1: 10, 2: 20, 3: 30 };
  const uncertain = { 1: 10, 2: 21, 4: 40 };
  const expected = { rows: [[1, 10], [2, 20], [3, 30]], different: [] }; // biome-ignore format: one line
  for (const replicas of [
    [replica("a", certain), replica("b", certain), replica("c", uncertain, true)],
    [replica("c", uncertain, true), replica("a", certain)],
  ]) {
    expect(await merged(replicas)).toEqual(expected);
  }
});

it("rows that certain replicas have with different cells are left out", async () => {
  const replicas = [
    replica("a", { 1: 10, 2: 20 }),
    replica("b", { 1: 11, 2: 20 }),
    replica("c", { 1: 10 }, true),
  ];
  expect(await merged(replicas)).toEqual({
    rows: [[2, 20]],
    different: [{ servers: [["a"], ["b"]], without: [] }],
  });
});

it("replicas with the same cells are one group of a row that differs", async () => {
  const replicas = [
    replica("a", { 1: 10 }),
    replica("b", { 1: 11 }),
    replica("c", { 1: 10 }),
    replica("d", { 2: 2 }),
  ];
  expect(await merged(replicas)).toEqual({
    rows: [],
    different: [
      { servers: [["a", "c"], ["b"]], without: ["d"] },
      { servers: [["d"]], without: ["a", "b", "c"] },
    ],
  });
});

it("columns that are not requested are read for the key, after the requested ones", () => {
  expect(keyedProjection(schema, ["n"])).toEqual({ columns: ["n", "id"], requested: 1, keyPositions: [1] });
  expect(keyedProjection(schema)).toEqual({ columns: ["id", "n"], requested: 2, keyPositions: [0] });
});

it("rows that only uncertain replicas have differently are left out", async () => {
  const replicas = [replica("a", { 1: 10, 2: 20 }, true), replica("b", { 1: 10 }, true)];
  expect(await merged(replicas)).toEqual({
    rows: [[1, 10]],
    different: [{ servers: [["a"]], without: ["b"] }],
  });
});
