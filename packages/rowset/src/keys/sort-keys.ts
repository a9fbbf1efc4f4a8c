/**
 * The order of rows by key. The first four bytes behind what all keys begin with and the row's number make one number of 53
 * bits, so that the engine sorts numbers; only keys that begin alike are compared as a whole.
 */
import { keyHead } from "@cfile/bytes";
import { compareKeys, type RowKeys } from "./row-keys.js";

/** Most rows that can be sorted together. */
export const MAX_SORTED_ROWS = 2 ** 21;

/** The numbers of the rows, ascending by key; rows with the same key in the order in which they came. */
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

/** Bytes that all keys begin with. */
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
