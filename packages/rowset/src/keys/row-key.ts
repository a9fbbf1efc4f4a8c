/**
 * Primary keys and key ranges as callers pass them, and their encoding (docs/spec/diskrowset.md#5-comparable-key-encoding).
 * A key may be cut after any column: it then stands for all keys with this prefix.
 */
import { type CFileError, invalidArgument, utf8Bytes } from "@cfile/bytes";
import { type CellValue, DATA_TYPES, type DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { afterPrefix, type KeyValue, lowerBound, keyAfter as nextKey } from "@cfile/encodings/keys";
import { keyColumns, type RowSetSchema } from "../schema/schema.js";

/** The cells of all key columns, or of the first few where a prefix is accepted; or an encoded key. */
export type RowKey = readonly CellValue[] | Uint8Array;

/** Keys from `from` (inclusive) to `to` (exclusive), and those that start with the cells of `prefix`. */
export interface KeyRange {
  readonly from?: RowKey | undefined;
  readonly to?: RowKey | undefined;
  readonly prefix?: RowKey | undefined;
}

/** A range of encoded keys, `to` exclusive; missing bounds are open. */
export interface EncodedRange {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/**
 * The encoding of a whole key.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for too few or too many cells, or cells that do not fit their column
 */
export function encodeRowKey(schema: RowSetSchema, key: RowKey): Uint8Array {
  if (!(key instanceof Uint8Array || isWhole(schema, key))) {
    throw wrongCellCount(key, keyColumns(schema).length);
  }
  return encodeKeyPrefix(schema, key);
}

/** The encoding of a key, or the common prefix of all keys with these first cells. */
export function encodeKeyPrefix(schema: RowSetSchema, key: RowKey): Uint8Array {
  if (key instanceof Uint8Array) {
    return key;
  }
  const types = keyColumns(schema).map(({ type }) => type);
  const values = key.map((cell, i) => {
    const type = types[i];
    if (type === undefined) {
      throw wrongCellCount(key, types.length);
    }
    return keyValueOf(type, cell);
  });
  return lowerBound(types, values);
}

/** The first key after all keys with these cells; `undefined` if no key can follow. */
export function keyAfter(schema: RowSetSchema, key: RowKey): Uint8Array | undefined {
  const start = encodeKeyPrefix(schema, key);
  return isWhole(schema, key) ? nextKey(start) : afterPrefix(start);
}

/** Whether the key has a cell for every key column. Encoded keys may be prefixes. */
export function isWhole(schema: RowSetSchema, key: RowKey): key is readonly CellValue[] {
  return !(key instanceof Uint8Array) && key.length === keyColumns(schema).length;
}

function wrongCellCount({ length }: readonly CellValue[], columns: number): CFileError {
  return invalidArgument(`key has ${length} cells (key columns: ${columns})`, { field: "key" });
}

function keyValueOf(type: DataType, cell: CellValue): KeyValue {
  const isText = DATA_TYPES[type].physical === "BINARY";
  if (typeof cell === "string" && isText && type !== "BINARY") {
    return utf8Bytes(cell);
  }
  if (isText ? cell instanceof Uint8Array : typeof cell === "number" || typeof cell === "bigint") {
    return cell as KeyValue;
  }
  // Converts other input, or throws the reason why it does not fit.
  return batchFromValues({ type }, [cell ?? null]).get(0, { strings: "bytes" }) as KeyValue;
}
