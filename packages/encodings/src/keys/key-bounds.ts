/**
 * Bounds of primary key ranges: all keys that start with given cells are from {@link lowerBound} (inclusive) to
 * {@link upperBound} (exclusive), in the order of encoded keys (`composite-key.ts`).
 */
import { commonPrefixLength, invalidOption } from "@cfile/bytes";
import type { DataType } from "../types/data-type.js";
import { encodeCompositeKey } from "./composite-key.js";
import type { KeyValue } from "./key.js";

/**
 * The common prefix of all keys that start with these cells, and so their minimum; the key itself if all cells are given.
 *
 * @param types of all key columns
 * @param values of the leading columns, or of all; none for the minimum of all keys
 * @throws {CFileError} `E_INVALID_ARGUMENT` for more values than types, and for a value that does not fit its type; `E_UNSUPPORTED` for
 *   a type without keys
 */
export function lowerBound(types: readonly DataType[], values: readonly KeyValue[]): Uint8Array {
  if (values.length > types.length) {
    throw invalidOption("key", `${values.length} cells`, `at most ${types.length}, one per key column`);
  }
  if (values.length === 0) {
    return new Uint8Array(0);
  }
  const first = types.slice(0, values.length);
  if (values.length === types.length) {
    return encodeCompositeKey(first, values);
  }
  // With another column of one byte, which is then cut off, no given column is the last one.
  const key = encodeCompositeKey([...first, "UINT8"], [...values, 0]);
  return key.subarray(0, key.length - 1);
}

/**
 * The first byte string after all keys that start with these cells; `undefined` when nothing follows them. Parameters and errors
 * as for {@link lowerBound}.
 */
export function upperBound(types: readonly DataType[], values: readonly KeyValue[]): Uint8Array | undefined {
  const start = lowerBound(types, values);
  return values.length === types.length ? keyAfter(start) : afterPrefix(start);
}

/** The first byte string after `key`. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/** The first byte string after all with this prefix; `undefined` when nothing follows them. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) {
    end--;
  }
  if (end === 0) {
    return undefined;
  }
  const next = prefix.slice(0, end);
  next[end - 1] = (next[end - 1] as number) + 1;
  return next;
}

/**
 * The key that a value index stores for a block (docs/spec/cfile.md#73-separating-keys): the shortest prefix of its first
 * key that is after the last key of the previous block. All of `first` if the two are equal, or `first` is empty.
 *
 * @param last encoded key of the last value of the previous block; empty for the first block
 * @param first encoded key of the block's first value
 */
export function separatingKey(last: Uint8Array, first: Uint8Array): Uint8Array {
  return first.slice(0, commonPrefixLength(last, first) + 1);
}
