/**
 * Turns the unflushed changes of a log into files in memory: a row set of inserted rows per MemRowSet, and a REDO file per changed row
 * set. They are read like files on disk.
 *
 * As in the server, a key that is reinserted into the same MemRowSet keeps its row.
 */
import { compareBytes, corrupt, isDamage, toHex } from "@cfile/bytes";
import type { DeltaKind } from "@cfile/deltafile";
import { DELETE, encodeCell, MutationBuilder, REINSERT, UPDATE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { CellValue } from "@cfile/encodings";
import { type ByteSource, type MemorySink, memorySink, memorySource } from "@cfile/io";

import type { RowSetFiles, RowSetReader } from "@cfile/rowset";
import { encodeRowKey } from "@cfile/rowset";
import { RowSetWriter } from "@cfile/rowset/write";
import { collect } from "../blocks/problems.js";
import type { KuduColumn, KuduSchema } from "../catalog/schema-message.js";
import type { UnflushedOperation } from "./log-replay.js";
import type { Cells, Change, StoredForm } from "./memory-row.js";
import { canInsert } from "./row-operations.js";
import { batchOfCells, cellValue } from "./stored-cells.js";
import { type Applied, type KeyedRow, liveIn, type OverlaidRowSet, storesByKey } from "./stores-by-key.js";

export interface LogOverlay {
  /** Row sets of inserted rows. */
  readonly rowSets: readonly RowSetFiles[];
  /** REDO files by row set ID. */
  readonly redo: ReadonlyMap<bigint, ByteSource>;
  /** Encoded keys of rows whose changes could not be applied because of damage; their rows are out of date. */
  readonly unknownKeys: readonly Uint8Array[];
}

/**
 * @param isTolerant whether damaged row sets are allowed: the keys of changes that cannot be applied go to `unknownKeys`
 * @throws {CFileError} `E_CORRUPT` if an operation does not fit the schema or the rows; as lookups in the row sets
 */
export async function overlayOf(
  operations: readonly UnflushedOperation[],
  schema: KuduSchema,
  rowSets: readonly OverlaidRowSet[],
  form: StoredForm,
  isTolerant = false,
): Promise<LogOverlay> {
  const memory = new Map<bigint, Map<string, KeyedRow>>();
  const changes = new Map<bigint, Map<number, Change[]>>();
  const readers = new Map<bigint, Promise<RowSetReader | undefined>>();
  const readerOf: Applied["readerOf"] = (rowSet) =>
    childOf(readers, rowSet.id, () => (isTolerant ? withoutBloom(rowSet) : readable(rowSet)));
  const lastFlushed = isTolerant ? lastFlushedChanges(operations) : new Map<string, bigint>();
  const applied: Applied = { memory, changes, rowSets, readerOf, lastFlushed, flushed: new Map() };
  const unknown = new Map<string, Uint8Array>();
  for (const entry of operations) {
    requireColumns(entry);
    const key = keyOf(entry);
    const name = toHex(key);
    if (unknown.has(name) || entry.stores?.length === 0) {
      continue;
    }
    try {
      await apply(key, entry, applied);
    } catch (error) {
      if (!isTolerant || !isDamage(error)) {
        throw error;
      }
      unknown.set(name, key);
    }
  }
  const redo = new Map<bigint, ByteSource>();
  for (const [id, rows] of changes) {
    const ascending = [...rows].sort(([left], [right]) => left - right);
    redo.set(id, await deltaFile("redo", ascending));
  }
  const inserted: RowSetFiles[] = [];
  for (const rows of memory.values()) {
    const stored = await rowSetOf([...rows.values()], schema, form);
    inserted.push(...(stored === undefined ? [] : [stored]));
  }
  return { rowSets: inserted, redo, unknownKeys: [...unknown.values()] };
}

function lastFlushedChanges(operations: readonly UnflushedOperation[]): Map<string, bigint> {
  const flushed = operations.filter(({ stores }) => stores?.length === 0);
  return new Map(flushed.map((entry) => [toHex(keyOf(entry)), entry.timestamp]));
}

async function apply(key: Uint8Array, entry: UnflushedOperation, applied: Applied): Promise<void> {
  const { memory, changes, rowSets, readerOf } = applied;
  const stores = entry.stores ?? (await storesByKey(key, entry, applied));
  for (const { mrsId, rowSetId } of stores) {
    if (mrsId >= 0n) {
      // If the commit of its insertion is lost, a row may be elsewhere than the server had it.
      const rows = liveIn(memory, toHex(key))?.[1] ?? childOf(memory, mrsId, () => new Map());
      applyInMemory(rows, key, entry);
      continue;
    }
    const rowSet = rowSets.find(({ id }) => id === rowSetId);
    const reader = rowSet && (await readerOf(rowSet));
    if (reader === undefined) {
      continue;
    }
    const row = await reader.findRow(key);
    if (row === undefined) {
      const reason = `the log changes a row that row set ${rowSetId} does not have`;
      throw corrupt(reason, { field: "mutated_stores" });
    }
    const change = changeOf(entry);
    if (!isEmpty(change)) {
      const rows = childOf(changes, rowSetId, () => new Map<number, Change[]>());
      childOf(rows, row, () => []).push(change);
    }
  }
}

/** The server rejects operations with unknown columns, so that the schema must be wrong. */
function requireColumns({ operation, schema }: UnflushedOperation): void {
  const unknown = [...operation.cells.keys()].find((name) =>
    schema.columns.every((column) => column.name !== name),
  );
  if (unknown !== undefined) {
    throw corrupt(`the log changes column ${JSON.stringify(unknown)}, which the schema does not have`, {
      field: "schema",
    });
  }
}

/** `undefined` if the row set cannot be opened. Reading its rows reports that. */
function readable(rowSet: OverlaidRowSet): Promise<RowSetReader | undefined> {
  return collect([], () => rowSet.open());
}

/** A damaged Bloom file must not hide keys. */
async function withoutBloom(rowSet: OverlaidRowSet): Promise<RowSetReader> {
  return rowSet.openWith({ ...(await rowSet.files()), bloom: undefined });
}

function applyInMemory(rows: Map<string, KeyedRow>, key: Uint8Array, entry: UnflushedOperation): void {
  const { timestamp, operation } = entry;
  const name = toHex(key);
  const row = rows.get(name);
  const isAlive = row !== undefined && !row.dead;
  if (!isAlive && !canInsert(operation)) {
    throw corrupt("the log changes a row that was not inserted", { field: "mutated_stores" });
  }
  if (row === undefined) {
    rows.set(name, { key, insertedAt: timestamp, cells: insertedCells(entry), changes: [], dead: false });
    return;
  }
  const change = isAlive ? changeOf(entry) : reinsertionOf(entry);
  if (!isEmpty(change)) {
    row.changes.push(change);
    row.dead = change.type === DELETE;
  }
}

function reinsertionOf(entry: UnflushedOperation): Change {
  const mutations = new MutationBuilder();
  const cells = insertedCells(entry);
  for (const { id, isKey } of entry.schema.columns) {
    const cell = cells.get(id);
    if (cell !== undefined && !isKey) {
      mutations.set(id, cell);
    }
  }
  return { timestamp: entry.timestamp, type: REINSERT, mutations: mutations.finish() };
}

/** Cells for all columns of the schema at that time: the given ones, else defaults. */
function insertedCells({ operation, schema, autoIncrement }: UnflushedOperation): Cells {
  const cells: Cells = new Map();
  for (const { id, name, autoIncrementing, writeDefault = null } of schema.columns) {
    const counter = autoIncrementing && autoIncrement !== undefined ? int64Bytes(autoIncrement) : undefined;
    const given = operation.cells.get(name);
    cells.set(id, given === undefined ? (counter ?? writeDefault) : given);
  }
  return cells;
}

function int64Bytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return bytes;
}

function keyOf(entry: UnflushedOperation): Uint8Array {
  const { operation, schema, autoIncrement } = entry;
  const cells = schema.columns
    .filter(({ isKey }) => isKey)
    .map((column): CellValue => {
      const given = operation.cells.get(column.name);
      if (given === undefined && column.autoIncrementing && autoIncrement !== undefined) {
        return autoIncrement;
      }
      if (given === undefined || given === null) {
        throw corrupt(`operation has no key column ${JSON.stringify(column.name)}`, { field: "rows" });
      }
      return cellValue(column, given);
    });
  return encodeRowKey(schema, cells);
}

function changeOf({ operation, schema, timestamp }: UnflushedOperation): Change {
  const { kind, cells } = operation;
  const builder = new MutationBuilder();
  if (kind === "delete" || kind === "deleteIgnore") {
    return { timestamp, type: DELETE, mutations: builder.finish() };
  }
  const leavesImmutable = kind === "updateIgnore" || kind === "upsertIgnore";
  for (const { id, name, isKey, immutable } of schema.columns) {
    const given = cells.get(name);
    if (given !== undefined && !isKey && !(immutable && leavesImmutable)) {
      builder.set(id, given);
    }
  }
  return { timestamp, type: UPDATE, mutations: builder.finish() };
}

/** Of an operation that may only change immutable columns. */
function isEmpty({ type, mutations }: Change): boolean {
  return type === UPDATE && mutations.length === 0;
}

/** `undefined` without rows. */
async function rowSetOf(
  rows: KeyedRow[],
  schema: KuduSchema,
  form: StoredForm,
): Promise<RowSetFiles | undefined> {
  rows.sort((left, right) => compareBytes(left.key, right.key));
  const defaults = new Map(schema.columns.map((column) => [column.id, olderCell(column)]));
  const stored = rows.flatMap((row) => form(row, defaults) ?? []);
  if (stored.length === 0) {
    return undefined;
  }
  const sinks = new Map(schema.columns.map(({ id }) => [id, memorySink()]));
  const bloom = memorySink();
  const adhocIndex = schema.columns.filter(({ isKey }) => isKey).length > 1 ? memorySink() : undefined;
  const writer = new RowSetWriter({ columns: sinks, bloom, adhocIndex }, schema);
  await writer.append(
    schema.columns.map((column) =>
      batchOfCells(
        column,
        stored.map(({ cells }) => cells.get(column.id) ?? null),
      ),
    ),
  );
  await writer.finish();
  const changed = stored.some(({ redo }) => redo.length > 0);
  return {
    columns: new Map([...sinks].map(([id, sink]) => [id, sourceOf(sink)])),
    bloom: sourceOf(bloom),
    adhocIndex: adhocIndex && sourceOf(adhocIndex),
    redo: changed
      ? [
          await deltaFile(
            "redo",
            [...stored.entries()].map(([i, { redo }]) => [i, redo]),
          ),
        ]
      : [],
    undo: [
      await deltaFile(
        "undo",
        [...stored.entries()].map(([i, { undo }]) => [i, undo]),
      ),
    ],
  };
}

async function deltaFile(
  kind: DeltaKind,
  rows: readonly (readonly [number, readonly Change[]])[],
): Promise<ByteSource> {
  const sink = memorySink();
  const writer = new DeltaFileWriter(sink, { kind });
  for (const [row, changes] of rows) {
    for (const { timestamp, type, mutations } of changes) {
      await writer.append(row, timestamp, type, mutations);
    }
  }
  await writer.finish();
  return sourceOf(sink);
}

function sourceOf(sink: MemorySink): ByteSource {
  return memorySource(sink.bytes(), "write-ahead log");
}

/** What rows that are older than the column have in it. */
function olderCell(column: KuduColumn): Uint8Array | null {
  return column.readDefault === undefined ? null : encodeCell(column, column.readDefault);
}

function childOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) {
    return known;
  }
  const made = make();
  map.set(key, made);
  return made;
}
