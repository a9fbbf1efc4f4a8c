import { openRowSet, TabletReader } from "@cfile/rowset";
import { verifyRowSet } from "@cfile/rowset/verify";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { KuduColumn, KuduSchema } from "../src/catalog/schema-message.js";
import { overlayOf } from "../src/log/log-overlay.js";
import type { UnflushedOperation } from "../src/log/log-replay.js";
import { flushed, inMemory, type StoredForm } from "../src/log/memory-row.js";
import type { OperationKind } from "../src/log/row-operations.js";
import { collectChanges, collectRows } from "./json-rows.js";
import { kuduColumn } from "./kudu-column.js";

const column = (id: number, name: string, isKey: boolean): KuduColumn =>
  kuduColumn(id, name, { isKey, nullable: !isKey, readDefault: name === "added" ? 7 : undefined });

const old: KuduSchema = { columns: [column(0, "id", true), column(1, "n", false), column(2, "m", false)] };
/** The schema after dropping one column and adding another. */
const schema: KuduSchema = {
  columns: [column(0, "id", true), column(1, "n", false), column(3, "added", false)],
};

const step = fc.record({
  key: fc.nat(3),
  wants: fc.constantFrom("insert", "delete", "update", "upsert"),
  n: fc.option(fc.nat(9)),
  later: fc.nat(1),
});

/** Operations that a server would accept: an insertion of a dead key, a deletion or update of a live one. */
function accepted(steps: readonly { key: number; wants: string; n: number | null; later: number }[]) {
  const alive = new Set<number>();
  const operations: UnflushedOperation[] = [];
  let timestamp = 1n;
  for (const [i, { key, wants, n, later }] of steps.entries()) {
    timestamp += BigInt(later);
    const isAlive = alive.has(key);
    const kind =
      wants === "upsert" ? "upsert" : !isAlive ? "insert" : wants === "delete" ? "delete" : "update";
    const set = new Map<string, Uint8Array | null>([["id", Uint8Array.of(key)]]);
    const now = i < steps.length / 2 ? old : schema;
    if (kind !== "delete") {
      set.set("n", n === null ? null : Uint8Array.of(n));
      set.set(now === old ? "m" : "added", Uint8Array.of(key + 20));
    }
    kind === "delete" ? alive.delete(key) : alive.add(key);
    const stores = [{ mrsId: 0n, rowSetId: -1n, dmsId: -1n, transaction: -1n }];
    operations.push({
      timestamp,
      operation: { kind, cells: set },
      schema: now,
      stores,
      autoIncrement: undefined,
    });
  }
  return { operations, end: timestamp + 2n };
}

function operationOf(kind: string, timestamp: bigint): UnflushedOperation {
  const cells = new Map([["id", Uint8Array.of(1)]]);
  if (kind !== "delete") {
    cells.set("n", Uint8Array.of(3));
  }
  const stores = [{ mrsId: 0n, rowSetId: -1n, dmsId: -1n, transaction: -1n }];
  const operation = { kind: kind as OperationKind, cells };
  return { timestamp, operation, schema, stores, autoIncrement: undefined };
}

async function readerOf(operations: readonly UnflushedOperation[], form: StoredForm): Promise<TabletReader> {
  const { rowSets } = await overlayOf(operations, schema, [], form);
  for (const files of rowSets) {
    expect((await verifyRowSet(files, schema)).problems).toEqual([]);
  }
  return new TabletReader(schema, await Promise.all(rowSets.map((files) => openRowSet(files, schema))));
}

it("rows of memory are the same at any time, in memory and flushed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const { operations, end } = accepted(steps);
      const memory = await readerOf(operations, inMemory);
      const disk = await readerOf(operations, flushed);
      for (let asOf = 0n; asOf <= end; asOf++) {
        const rows = await collectRows(memory.scan({ asOf }));
        expect(await collectRows(disk.scan({ asOf }))).toEqual(rows);
        // A deleted row may have the cells of an earlier or of a later life.
        const certain = (changes: unknown[][]): unknown[][] =>
          changes.map((cells) => (JSON.stringify(cells.at(-1)) === '{"deleted":true}' ? [cells[0]] : cells));
        const changes = certain(await collectChanges(memory.diff(asOf, end)));
        expect(certain(await collectChanges(disk.diff(asOf, end)))).toEqual(changes);
      }
    }),
    { numRuns: 60 },
  );
});

it.each([
  ["inserted and deleted", ["insert", "delete"], 0],
  ["inserted, updated and deleted", ["insert", "update", "delete"], 0],
  ["inserted, deleted and inserted", ["insert", "delete", "insert"], 1],
])("a row that one operation %s has %j flushed rows", async (_, kinds, rows) => {
  const operations = kinds.map((kind) => operationOf(kind, 5n));
  const { rowSets } = await overlayOf(operations, schema, [], flushed);
  const counts = await Promise.all(rowSets.map(async (files) => (await verifyRowSet(files, schema)).rows));
  expect(counts).toEqual(rows === 0 ? [] : [rows]);
});

it("a row that is deleted by a later operation than the one that inserts it is flushed", async () => {
  const operations = [operationOf("insert", 5n), operationOf("delete", 6n)];
  const disk = await readerOf(operations, flushed);
  expect(await collectRows(disk.scan({ asOf: 6n }))).toHaveLength(1);
  expect(await collectRows(disk.scan())).toEqual([]);
});
