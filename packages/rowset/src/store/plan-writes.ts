/** Plans writes: REDO entries for existing rows, and new rows. The whole write is checked before anything is written. */
import { CFileError, concatBytes, invalidArgument, isCFileError, toHex } from "@cfile/bytes";
import { type ChangeType, DELETE, encodeCell, MutationBuilder, mayDelete, UPDATE } from "@cfile/deltafile";
import type { InputCell } from "@cfile/encodings";
import { encodeRowKey, type RowKey } from "../keys/row-key.js";
import { describeKey } from "../keys/row-key-text.js";
import { encodeRowKeys, keyAt, type RowKeys } from "../keys/row-keys.js";
import { distinctOrder, MAX_SORTED_ROWS } from "../keys/sort-keys.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import type { RowSetReader } from "../read/row-set-reader.js";
import { keyColumns, type RowSetColumn, type RowSetSchema } from "../schema/schema.js";
import { cellOf, checkRow, keyBatchesOfRows, misfit, type RowInput } from "../write/rows-to-batches.js";

/** An entry of a REDO file. */
interface PlannedChange {
  readonly row: number;
  readonly type: ChangeType;
  readonly mutations: Uint8Array | undefined;
}

export interface PlannedWrite {
  /** By index of the row set, rows ascending. */
  readonly changes: ReadonlyMap<number, readonly PlannedChange[]>;
  /** New rows, sorted by key. */
  readonly inserts: readonly RowInput[];
}

/** Whether rows must exist (`"update"`), must not exist (`"insert"`), or may (`"upsert"`). */
export type WriteMode = "update" | "insert" | "upsert";

/**
 * Plans changes of rows by their keys.
 *
 * @param rowSets oldest first
 * @throws {CFileError} `E_INVALID_ARGUMENT` for rows that do not fit the schema, a duplicate key, and an insert of an existing row;
 *   `E_NOT_FOUND` naming the key for an update of a missing row; `E_LIMIT` for more than 2^21 rows
 */
export async function planRows(
  schema: RowSetSchema,
  rowSets: readonly RowSetReader[],
  rows: readonly RowInput[],
  mode: WriteMode,
): Promise<PlannedWrite> {
  rows.forEach((row, number) => {
    checkRow(schema, row, number);
  });
  const keys = encodeRowKeys(keyBatchesOfRows(schema, rows));
  const plan = new Plan();
  for (const number of writeOrder(schema, keys)) {
    const row = rows[number] as RowInput;
    const key = keyAt(keys, number);
    const found = await findLiveRow(rowSets, key);
    if (found === undefined) {
      if (mode === "update") {
        throw notFound(schema, key);
      }
      plan.inserts.push(row);
    } else if (mode === "insert") {
      const reason = `a row with the key ${describeKey(schema, key)} already exists`;
      throw invalidArgument(reason, { field: "key", actual: toHex(key) });
    } else {
      const mutations = mutationsOf(schema, row, number);
      if (mutations.length > 0) {
        plan.add(found.rowSet, { row: found.row, type: UPDATE, mutations });
      }
    }
  }
  return plan;
}

/** Plans the deletion of rows. Errors as {@link planRows}. */
export async function planDeletes(
  schema: RowSetSchema,
  rowSets: readonly RowSetReader[],
  keys: readonly RowKey[],
): Promise<PlannedWrite> {
  const encoded = packKeys(keys.map((key) => encodeRowKey(schema, key)));
  const plan = new Plan();
  for (const number of writeOrder(schema, encoded)) {
    const key = keyAt(encoded, number);
    const found = await findLiveRow(rowSets, key);
    if (found === undefined) {
      throw notFound(schema, key);
    }
    plan.add(found.rowSet, { row: found.row, type: DELETE, mutations: undefined });
  }
  return plan;
}

class Plan implements PlannedWrite {
  readonly changes = new Map<number, PlannedChange[]>();
  readonly inserts: RowInput[] = [];

  add(rowSet: number, change: PlannedChange): void {
    const changes = this.changes.get(rowSet) ?? [];
    changes.push(change);
    this.changes.set(rowSet, changes);
  }
}

function packKeys(keys: readonly Uint8Array[]): RowKeys {
  const offsets = new Int32Array(keys.length + 1);
  keys.forEach((key, i) => {
    offsets[i + 1] = (offsets[i] as number) + key.length;
  });
  return { length: keys.length, offsets, data: concatBytes(keys) };
}

/** Row numbers in key order, in which the rows of every row set also ascend. */
function writeOrder(schema: RowSetSchema, keys: RowKeys): Uint32Array {
  if (keys.length > MAX_SORTED_ROWS) {
    const reason = `${keys.length} rows in one write (maximum ${MAX_SORTED_ROWS})`;
    throw new CFileError("E_LIMIT", reason, {
      field: "rows",
      expected: MAX_SORTED_ROWS,
      actual: keys.length,
    });
  }
  return distinctOrder(schema, keys);
}

function mutationsOf(schema: RowSetSchema, row: RowInput, number: number): Uint8Array {
  const mutations = new MutationBuilder();
  const keys = keyColumns(schema).length;
  for (const [position, column] of schema.columns.entries()) {
    const cell = cellOf(row, column.name, position);
    if (position >= keys && cell !== undefined) {
      mutations.set(column.id, encodeMutation(column, cell, number));
    }
  }
  return mutations.finish();
}

function encodeMutation(column: RowSetColumn, cell: InputCell, number: number): Uint8Array | null {
  try {
    return encodeCell(column, cell);
  } catch (error) {
    throw isCFileError(error)
      ? misfit(column, error, `row ${number}: ${error.reason.replace(/^row 0: /, "")}`)
      : error;
  }
}

function notFound(schema: RowSetSchema, key: Uint8Array): CFileError {
  const reason = `no row with the key ${describeKey(schema, key)}`;
  return new CFileError("E_NOT_FOUND", reason, { field: "key", actual: toHex(key) });
}

/** A live row. */
interface FoundRow {
  /** Index of the row set, oldest first. */
  readonly rowSet: number;
  readonly row: number;
}

/**
 * The row with this encoded key in the latest snapshot; `undefined` if it is missing
 * (docs/spec/diskrowset.md#8-point-lookup).
 *
 * @param rowSets oldest first
 */
async function findLiveRow(rowSets: readonly RowSetReader[], key: Uint8Array): Promise<FoundRow | undefined> {
  // The last life of a key is in the newest of its row sets.
  for (let rowSet = rowSets.length - 1; rowSet >= 0; rowSet--) {
    const reader = rowSets[rowSet];
    const row = await reader?.findRow(key);
    if (reader !== undefined && row !== undefined && !(await isDeleted(reader.parts, row))) {
      return { rowSet, row };
    }
  }
  return undefined;
}

/** Whether the last DELETE or REINSERT of the row in REDO files is a DELETE. */
async function isDeleted(parts: RowSetParts, row: number): Promise<boolean> {
  const deltas = await parts.deltas();
  for (let i = deltas.length - 1; i >= 0; i--) {
    const delta = deltas[i];
    const statistics = delta?.reader.statistics;
    const isRelevant = statistics !== undefined && (mayDelete(statistics) || statistics.reinsertCount > 0);
    if (delta?.kind === "redo" && isRelevant) {
      const { length, types } = await delta.reader.deltasOf(row);
      if (length > 0) {
        return types[length - 1] === DELETE;
      }
    }
  }
  return false;
}
