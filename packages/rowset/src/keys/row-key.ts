/**
 * Primary keys and ranges of them as callers give them, encoded (docs/spec/diskrowset.md#5-comparable-key-encoding). A key may
 * be cut after any of its columns: it then stands for all keys that begin so.
 */
import { invalidArgument, utf8Bytes } from "@cfile/bytes";
import type { CellValue, DataType } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { KeyValue } from "@cfile/encodings/keys";
import { afterPrefix, encodeCompositeKey, lowerBound, keyAfter as nextKey } from "@cfile/encodings/keys";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetSchema } from "../schema/schema.js";
import { encodeRowKeys, keyAt } from "./row-keys.js";

/** The cells of the key columns, or only of the first of them; or a key that is encoded already. */
export type RowKey = readonly CellValue[] | Uint8Array;

/** Keys from `from` (inclusive) to `to` (exclusive), and those that begin with the cells of `prefix`. */
export interface KeyRange {
  readonly from?: RowKey | undefined;
  readonly to?: RowKey | undefined;
  /** The first key cells, or all of them. */
  readonly prefix?: RowKey | undefined;
}

/** A key range in encoded keys, `to` exclusive; missing bounds are open. */
export interface EncodedRange {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/**
 * A whole key.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for too few or too many cells, or ones that do not fit
 */
export function encodeRowKey(schema: RowSetSchema, key: RowKey): Uint8Array {
  const columns = keyColumns(schema);
  if (!(key instanceof Uint8Array) && key.length !== columns.length) {
    throw invalidArgument(`${key.length} cells for a key of ${columns.length} columns`, { field: "key" });
  }
  return encodeKeyStart(schema, key);
}

/** A key, or the part that all keys with these first cells begin with. */
export function encodeKeyStart(schema: RowSetSchema, key: RowKey): Uint8Array {
  if (key instanceof Uint8Array) {
    return key;
  }
  const columns = keyColumns(schema);
  if (key.length > columns.length) {
    throw invalidArgument(`${key.length} cells for a key of ${columns.length} columns`, { field: "key" });
  }
  const types = columns.slice(0, key.length).map(({ type }) => type);
  return key.length < columns.length ? encodeOpenKey(types, key) : encodeCells(types, key);
}

/** Cells behind which others follow. */
function encodeOpenKey(types: readonly DataType[], cells: readonly CellValue[]): Uint8Array {
  const values = keyValues(types, cells);
  if (values !== undefined) {
    return lowerBound([...types, "UINT8"], values);
  }
  const key = encodeCells([...types, "UINT8"], [...cells, 0]);
  return key.subarray(0, key.length - 1);
}

function keyValues(types: readonly DataType[], cells: readonly CellValue[]): KeyValue[] | undefined {
  const values = types.map((type, i) => keyValueOf(type, cells[i]));
  return values.every((value) => value !== undefined) ? values : undefined;
}

function encodeCells(types: readonly DataType[], cells: readonly CellValue[]): Uint8Array {
  const values = keyValues(types, cells);
  if (values !== undefined) {
    return encodeCompositeKey(types, values);
  }
  // Says what is wrong with the others.
  const batches = types.map((type, i) => batchFromValues({ type, nullable: false }, [cells[i] ?? null]));
  return keyAt(encodeRowKeys(batches), 0);
}

/** A cell as keys take it; `undefined` for one that cannot be in a key. */
function keyValueOf(type: DataType, cell: CellValue | undefined): KeyValue | undefined {
  if (DATA_TYPES[type].physical !== "BINARY") {
    return typeof cell === "number" || typeof cell === "bigint" ? cell : undefined;
  }
  if (typeof cell === "string" && type !== "BINARY") {
    return utf8Bytes(cell);
  }
  return cell instanceof Uint8Array ? cell : undefined;
}

/** The first key after all that begin with these cells; `undefined` when there is none. */
export function keyAfter(schema: RowSetSchema, key: RowKey): Uint8Array | undefined {
  const start = encodeKeyStart(schema, key);
  const isWhole = !(key instanceof Uint8Array) && key.length === keyColumns(schema).length;
  return isWhole ? nextKey(start) : afterPrefix(start);
}
