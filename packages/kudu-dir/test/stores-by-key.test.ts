/** Operations without a commit in a damaged log. Files may contain parts of them. */
import type { ByteSource } from "@cfile/io";
import { openRowSet, type RowSetFiles, TabletReader } from "@cfile/rowset";
import { expect, it } from "vitest";
import type { KuduSchema } from "../src/catalog/schema-message.js";
import { overlayOf } from "../src/log/log-overlay.js";
import type { UnflushedOperation } from "../src/log/log-replay.js";
import { flushed, inMemory } from "../src/log/memory-row.js";
import type { OperationKind } from "../src/log/row-operations.js";
import type { OverlaidRowSet } from "../src/log/stores-by-key.js";
import { collectRows } from "./json-rows.js";
import { kuduColumn } from "./kudu-column.js";

const schema: KuduSchema = { columns: [kuduColumn(0, "id", { isKey: true }), kuduColumn(1, "n")] };

type Step = readonly [kind: OperationKind, n?: number];

/** @param store the row set or, negative, the MemRowSet -1 - `store`; `undefined` without a commit */
function operations(
  timestamp: bigint,
  store: number | undefined,
  steps: readonly Step[],
): UnflushedOperation[] {
  const stores =
    store === undefined
      ? undefined
      : [
          store < 0
            ? { mrsId: BigInt(-1 - store), rowSetId: -1n, dmsId: -1n, transaction: -1n }
            : { mrsId: -1n, rowSetId: BigInt(store), dmsId: 0n, transaction: -1n },
        ];
  return steps.map(([kind, n]) => {
    const cells = new Map([["id", Uint8Array.of(1)]]);
    if (n !== undefined) {
      cells.set("n", Uint8Array.of(n));
    }
    const rest = { schema, stores, mayBeFlushed: true, autoIncrement: undefined };
    return { timestamp, operation: { kind, cells }, ...rest };
  });
}

function rowSetOf(id: number, files: RowSetFiles): OverlaidRowSet {
  const openWith = (own: RowSetFiles) => openRowSet(own, schema);
  return { id: BigInt(id), files: async () => files, open: () => openWith(files), openWith };
}

/** The row set flushed from a MemRowSet with these operations. */
async function flushedRows(log: readonly UnflushedOperation[]): Promise<RowSetFiles> {
  const [files] = (await overlayOf(log, schema, [], flushed)).rowSets;
  if (files === undefined) {
    throw new Error("no rows");
  }
  return files;
}

/** The row set after flushing the operations. */
async function withRedo(files: RowSetFiles, log: readonly UnflushedOperation[]): Promise<RowSetFiles> {
  const { redo } = await overlayOf(log, schema, [rowSetOf(0, files)], inMemory);
  const added = redo.get(0n);
  return { ...files, redo: [...files.redo, ...(added === undefined ? [] : [added])] };
}

/** The latest rows of the row sets after operations of the log. */
async function latest(all: readonly RowSetFiles[], log: readonly UnflushedOperation[]): Promise<unknown[][]> {
  const rowSets = all.map((files, id) => rowSetOf(id, files));
  const { redo, rowSets: inserted } = await overlayOf(log, schema, rowSets, inMemory, true);
  const files = all.map((own, id) => {
    const added: ByteSource | undefined = redo.get(BigInt(id));
    return added === undefined ? own : { ...own, redo: [...own.redo, added] };
  });
  const readers = [...files, ...inserted].map((one) => openRowSet(one, schema));
  return collectRows(new TabletReader(schema, await Promise.all(readers)).scan());
}

const first = operations(1n, -1, [["insert", 5]]);
/** One write that changes the key, deletes it, and inserts it again. */
const STEPS: readonly Step[] = [["upsert", 6], ["update", 7], ["delete"], ["upsert", 8], ["update", 9]];
const write = operations(5n, undefined, STEPS);
const before = STEPS.slice(0, 3);
const after = STEPS.slice(3);

it.each([
  ["nothing", async () => [await flushedRows(first)]],
  ["the deletion", async () => [await withRedo(await flushedRows(first), operations(5n, 0, before))]],
  ["the insertion", async () => [await flushedRows(first), await flushedRows(operations(5n, -2, after))]],
  [
    "both",
    async () => [
      await withRedo(await flushedRows(first), operations(5n, 0, before)),
      await flushedRows(operations(5n, -2, after)),
    ],
  ],
])("a write that deletes and inserts a key is applied once if %s is flushed", async (_, files) => {
  expect(await latest(await files(), write)).toEqual([[1, 9]]);
  const deleted = [...write, ...operations(6n, undefined, [["delete"]])];
  expect(await latest(await files(), deleted)).toEqual([]);
});

it("a write that inserts and deletes a key leaves no row", async () => {
  const log = operations(5n, undefined, [["insert", 1], ["delete"], ["insert", 2], ["delete"]]);
  expect(await latest([], log)).toEqual([]);
  expect(
    await latest([await withRedo(await flushedRows(first), operations(2n, 0, [["delete"]]))], log),
  ).toEqual([]);
});

it("a write of an immutable column inserts rows, and changes none", async () => {
  const fixed = { columns: schema.columns.map((one) => ({ ...one, immutable: !one.isKey })) };
  const write = (...steps: Step[]) =>
    operations(5n, undefined, steps).map((operation) => ({ ...operation, schema: fixed }));
  for (const kind of ["update", "upsert", "updateIgnore", "upsertIgnore"] as const) {
    expect(await latest([await flushedRows(first)], write([kind, 7]))).toEqual([[1, 5]]);
  }
  expect(await latest([], write(["upsert", 8], ["upsert", 9]))).toEqual([[1, 8]]);
});
