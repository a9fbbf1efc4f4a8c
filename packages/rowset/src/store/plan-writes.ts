/**
 * What a write changes: REDO entries for rows that are there, and rows that are not there yet. Nothing is written before all of
 * it is known to be possible.
 */
import { CFileError, invalidArgument, isCFileError, toHex } from "@cfile/bytes";
import type { ChangeType } from "@cfile/deltafile";
import { DELETE, encodeCell, MutationBuilder, UPDATE } from "@cfile/deltafile";
import type { InputCell } from "@cfile/encodings";
import { encodeRowKey, type RowKey } from "../keys/row-key.js";
import { describeKey } from "../keys/row-key-text.js";
import { compareKeys, encodeRowKeys, keyAt, type RowKeys } from "../keys/row-keys.js";
import { MAX_SORTED_ROWS, sortKeys } from "../keys/sort-keys.js";
import { findLiveRow } from "../read/find-rows.js";
import type { RowSetReader } from "../read/row-set-reader.js";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";
import { cellOf, checkRow, keyBatchesOfRows, type RowInput } from "../write/rows-to-batches.js";

/** An entry of a REDO file. */
interface PlannedChange {
  readonly row: number;
  readonly type: ChangeType;
  readonly mutations: Uint8Array | undefined;
}

export interface PlannedWrite {
  /** By number of the row set, rows ascending. */
  readonly changes: ReadonlyMap<number, readonly PlannedChange[]>;
  /** New rows, sorted by key. */
  readonly inserts: readonly RowInput[];
}

/** What is done with rows that are there, and with those that are not. */
export type WriteMode = "update" | "insert" | "upsert";

/**
 * Plans changes of rows by their keys.
 *
 * @param rowSets oldest first
 * @throws CFileError `E_INVALID_ARGUMENT` for rows that do not fit the schema, a key that comes twice, and a row that is there
 *   where it is inserted; `E_NOT_FOUND` naming the key for one that is not there where it is updated
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
  for (const number of distinctOrder(schema, keys)) {
    const row = rows[number] as RowInput;
    const key = keyAt(keys, number);
    const place = await findLiveRow(rowSets, key);
    if (place === undefined) {
      if (mode === "update") {
        throw notFound(schema, key);
      }
      plan.inserts.push(row);
    } else if (mode === "insert") {
      throw invalidArgument(`there is a row with the key ${describeKey(schema, key)} already`, {
        field: "key",
        actual: toHex(key),
      });
    } else {
      const mutations = mutationsOf(schema, row, number);
      if (mutations.length > 0) {
        plan.add(place.rowSet, { row: place.row, type: UPDATE, mutations });
      }
    }
  }
  return plan;
}

/**
 * Plans the deletion of rows.
 *
 * @throws CFileError as {@link planRows}
 */
export async function planDeletes(
  schema: RowSetSchema,
  rowSets: readonly RowSetReader[],
  keys: readonly RowKey[],
): Promise<PlannedWrite> {
  const encoded = packKeys(keys.map((key) => encodeRowKey(schema, key)));
  const plan = new Plan();
  for (const number of distinctOrder(schema, encoded)) {
    const key = keyAt(encoded, number);
    const place = await findLiveRow(rowSets, key);
    if (place === undefined) {
      throw notFound(schema, key);
    }
    plan.add(place.rowSet, { row: place.row, type: DELETE, mutations: undefined });
  }
  return plan;
}

class Plan implements PlannedWrite {
  readonly changes = new Map<number, PlannedChange[]>();
  readonly inserts: RowInput[] = [];

  add(rowSet: number, change: PlannedChange): void {
    const changes = this.changes.get(rowSet);
    if (changes === undefined) {
      this.changes.set(rowSet, [change]);
    } else {
      changes.push(change);
    }
  }
}

function packKeys(keys: readonly Uint8Array[]): RowKeys {
  const offsets = new Int32Array(keys.length + 1);
  keys.forEach((key, i) => {
    offsets[i + 1] = (offsets[i] as number) + key.length;
  });
  const data = new Uint8Array(offsets[keys.length] as number);
  keys.forEach((key, i) => {
    data.set(key, offsets[i]);
  });
  return { length: keys.length, offsets, data };
}

/** The numbers of the keys in their order, in which the rows of every row set ascend, too. */
function distinctOrder(schema: RowSetSchema, keys: RowKeys): Uint32Array {
  if (keys.length > MAX_SORTED_ROWS) {
    throw new CFileError("E_LIMIT", `${keys.length} rows in one write, ${MAX_SORTED_ROWS} are allowed`, {
      field: "rows",
      expected: MAX_SORTED_ROWS,
      actual: keys.length,
    });
  }
  const order = sortKeys(keys);
  for (let i = 1; i < order.length; i++) {
    const number = order[i] as number;
    if (compareKeys(keys, order[i - 1] as number, keys, number) === 0) {
      const key = keyAt(keys, number);
      throw invalidArgument(`the key ${describeKey(schema, key)} comes twice in one write`, {
        field: "key",
        actual: toHex(key),
      });
    }
  }
  return order;
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
    if (isCFileError(error)) {
      const reason = error.reason.replace(/^row 0: /, "");
      throw new CFileError(error.code, `column ${JSON.stringify(column.name)}, row ${number}: ${reason}`, {
        field: column.name,
        actual: error.actual,
        cause: error,
      });
    }
    throw error;
  }
}

function notFound(schema: RowSetSchema, key: Uint8Array): CFileError {
  return new CFileError("E_NOT_FOUND", `there is no row with the key ${describeKey(schema, key)}`, {
    field: "key",
    actual: toHex(key),
  });
}
