/**
 * Applies the unflushed changes of a log to rows in memory and to row sets, as the server did. The effect of a change depends
 * only on its key, so keys can be applied in any order.
 *
 * As in the server, a key that is reinserted into the same MemRowSet keeps its row.
 */
import { corrupt, isDamage, toHex } from "@cfile/bytes";
import { DELETE, MutationBuilder, REINSERT, UPDATE } from "@cfile/deltafile";
import type { RowSetReader } from "@cfile/rowset";
import { collect } from "../blocks/problems.js";
import type { MutatedStore } from "./log-messages.js";
import type { UnflushedOperation } from "./log-replay.js";
import type { Cells, Change } from "./memory-row.js";
import { changeOfNewerRowSet } from "./older-superblock.js";
import { canInsert } from "./row-operations.js";
import { encodeStoredKey } from "./stored-cells.js";
import { type Applied, type KeyedRow, liveIn, type OverlaidRowSet, storesByKey } from "./stores-by-key.js";

/** The row sets of a tablet, opened on demand. */
export class ChangedRowSets {
  readonly rowSets: readonly OverlaidRowSet[];
  readonly isTolerant: boolean;
  private readonly readers = new Map<bigint, Promise<RowSetReader | undefined>>();

  /** @param isTolerant whether damaged row sets are allowed */
  constructor(rowSets: readonly OverlaidRowSet[], isTolerant: boolean) {
    this.rowSets = rowSets;
    this.isTolerant = isTolerant;
  }

  /** `undefined` if the row set cannot be opened, which reading its rows reports. */
  reader(rowSet: OverlaidRowSet): Promise<RowSetReader | undefined> {
    return childOf(this.readers, rowSet.id, () =>
      this.isTolerant ? withoutBloom(rowSet) : collect([], () => rowSet.open()),
    );
  }
}

/** The changes made by operations. */
export interface AppliedOperations {
  /** Rows in memory by MemRowSet, then by key in hexadecimal. */
  readonly memory: Map<bigint, Map<string, KeyedRow>>;
  /** Changes by row set ID, then by row. */
  readonly changes: Map<bigint, Map<number, Change[]>>;
  /** Keys of rows whose changes could not be applied because of damage. */
  readonly unknown: Map<string, Uint8Array>;
}

/**
 * @param operations all operations of their keys, in order
 * @param memRowSets IDs of MemRowSets, for insertions whose commits are missing
 * @throws {CFileError} `E_CORRUPT` if an operation does not fit the schema or the rows; as lookups in the row sets
 */
export async function applyOperations(
  operations: readonly UnflushedOperation[],
  rowSets: ChangedRowSets,
  memRowSets: Iterable<bigint> = [],
): Promise<AppliedOperations> {
  const { isTolerant } = rowSets;
  const memory = new Map([...memRowSets].map((id) => [id, new Map<string, KeyedRow>()]));
  const lastFlushed = isTolerant ? lastFlushedChanges(operations) : new Map<string, bigint>();
  const unknown = new Map<string, Uint8Array>();
  const changes: AppliedOperations["changes"] = new Map();
  const readerOf: Applied["readerOf"] = (rowSet) => rowSets.reader(rowSet);
  const applied: Applied = {
    memory,
    changes,
    rowSets: rowSets.rowSets,
    readerOf,
    lastFlushed,
    flushed: new Map(),
  };
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
  return { memory, changes, unknown };
}

function lastFlushedChanges(operations: readonly UnflushedOperation[]): Map<string, bigint> {
  const flushed = operations.filter(({ stores }) => stores?.length === 0);
  return new Map(flushed.map((entry) => [toHex(keyOf(entry)), entry.timestamp]));
}

async function apply(key: Uint8Array, entry: UnflushedOperation, applied: Applied): Promise<void> {
  const { memory, changes, rowSets, readerOf } = applied;
  const stores = entry.stores ?? (await storesByKey(key, entry, applied));
  requireKnownRowSets(key, stores, applied);
  for (const { mrsId, rowSetId } of stores) {
    if (mrsId >= 0n) {
      // If the commit of its insertion is lost, a row may be in a different MemRowSet from that of the server.
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

/** @throws {CFileError} `E_CORRUPT` if the superblock must be older than the log */
function requireKnownRowSets(
  key: Uint8Array,
  stores: readonly Pick<MutatedStore, "mrsId" | "rowSetId">[],
  { memory, rowSets }: Applied,
): void {
  const other = stores.find(
    ({ mrsId, rowSetId }) => mrsId < 0n && rowSets.every(({ id }) => id !== rowSetId),
  );
  const isOnlyThere = other !== undefined && stores.every(({ mrsId }) => mrsId < 0n);
  const [live] = (isOnlyThere ? liveIn(memory, toHex(key)) : undefined) ?? [];
  if (other !== undefined && live !== undefined) {
    throw changeOfNewerRowSet(other.rowSetId, live);
  }
}

/** The server rejects operations with unknown columns, so the schema must be wrong. */
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

/** Opens a row set without its Bloom file: a damaged one must not hide keys. */
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

/** The encoded key of its row. @throws {CFileError} `E_CORRUPT` if a key column has no cell */
export function keyOf({ operation, schema, autoIncrement }: UnflushedOperation): Uint8Array {
  const columns = schema.columns.filter(({ isKey }) => isKey);
  const cells = columns.map(({ name, autoIncrementing }): Uint8Array => {
    const given = operation.cells.get(name);
    if (given === undefined && autoIncrementing && autoIncrement !== undefined) {
      return int64Bytes(autoIncrement);
    }
    if (given === undefined || given === null) {
      throw corrupt(`operation has no key column ${JSON.stringify(name)}`, { field: "rows" });
    }
    return given;
  });
  return encodeStoredKey(columns, cells);
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

/** Whether a change has no effect: the operation changes only immutable columns. */
function isEmpty({ type, mutations }: Change): boolean {
  return type === UPDATE && mutations.length === 0;
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
