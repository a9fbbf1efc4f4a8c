/**
 * Sorts rows by key. The four bytes after the common prefix of all keys and the row number form one 53-bit number, so that the engine
 * sorts numbers; only keys with equal heads are compared in full.
 */
import { type CFileError, invalidArgument, keyHead, toHex } from "@cfile/bytes";
import type { RowSetSchema } from "../schema/schema.js";
import { describeKey } from "./row-key-text.js";
import { compareKeys, keyAt, type RowKeys } from "./row-keys.js";

/** Maximum number of rows that can be sorted together. */
export const MAX_SORTED_ROWS = 2 ** 21;

/** Row numbers in key order. @throws {CFileError} `E_INVALID_ARGUMENT` naming a duplicate key */
export function distinctOrder(schema: RowSetSchema, keys: RowKeys): Uint32Array {
  const order = sortKeys(keys);
  for (let i = 1; i < order.length; i++) {
    const row = order[i] as number;
    if (compareKeys(keys, order[i - 1] as number, keys, row) === 0) {
      throw duplicateKey(schema, keyAt(keys, row));
    }
  }
  return order;
}

export function duplicateKey(schema: RowSetSchema, key: Uint8Array): CFileError {
  return invalidArgument(`duplicate key ${describeKey(schema, key)}`, { field: "key", actual: toHex(key) });
}

/** Row numbers, ascending by key; rows with equal keys keep their order. */
export function sortKeys(keys: RowKeys): Uint32Array {
  const { length, offsets, data } = keys;
  const shared = sharedPrefix(keys);
  const ranked = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const head = keyHead(data, (offsets[row] as number) + shared, offsets[row + 1] as number);
    ranked[row] = head * MAX_SORTED_ROWS + row;
  }
  ranked.sort();
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    order[i] = (ranked[i] as number) % MAX_SORTED_ROWS;
  }
  sortEqualHeads(keys, ranked, order);
  return order;
}

function sortEqualHeads(keys: RowKeys, ranked: Float64Array, order: Uint32Array): void {
  const headAt = (i: number): number => Math.floor((ranked[i] as number) / MAX_SORTED_ROWS);
  for (let from = 0; from < order.length; ) {
    const head = headAt(from);
    let to = from + 1;
    while (to < order.length && headAt(to) === head) {
      to++;
    }
    if (to - from > 1) {
      order.subarray(from, to).sort((left, right) => compareKeys(keys, left, keys, right) || left - right);
    }
    from = to;
  }
}

/** Length of the prefix that all keys share. */
function sharedPrefix({ length, offsets, data }: RowKeys): number {
  let shared = length === 0 ? 0 : (offsets[1] as number);
  for (let row = 1; row < length && shared > 0; row++) {
    const start = offsets[row] as number;
    shared = Math.min(shared, (offsets[row + 1] as number) - start);
    let i = 0;
    while (i < shared && data[i] === data[start + i]) {
      i++;
    }
    shared = i;
  }
  return shared;
}
