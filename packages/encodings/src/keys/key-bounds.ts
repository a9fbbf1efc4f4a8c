/**
 * Bounds of ranges of primary keys: all keys that begin with some first cells lie from {@link lowerBound} (inclusive) to
 * {@link upperBound} (exclusive), in the order of encoded keys (`composite-key.ts`).
 */
import { invalidArgument } from "@cfile/bytes";
import type { DataType } from "../types/data-type.js";
import { encodeCompositeKey } from "./composite-key.js";
import type { KeyValue } from "./key.js";

/**
 * What all keys with these first cells begin with, and so the least of them; the key itself when no cell is left out.
 *
 * @param types of all key columns
 * @param values of the first of them, or of all; none for the least key of all
 * @throws CFileError `E_INVALID_ARGUMENT` for more values than types, and for one that does not fit its type; `E_UNSUPPORTED` for
 *   a type without keys
 */
export function lowerBound(types: readonly DataType[], values: readonly KeyValue[]): Uint8Array {
  if (values.length > types.length) {
    throw invalidArgument(`${values.length} cells for a key of ${types.length} columns`, { field: "key" });
  }
  if (values.length === 0) {
    return new Uint8Array(0);
  }
  const first = types.slice(0, values.length);
  if (values.length === types.length) {
    return encodeCompositeKey(first, values);
  }
  // A last column of one byte, which is then cut off, makes all before it ones that are not the last.
  const key = encodeCompositeKey([...first, "UINT8"], [...values, 0]);
  return key.subarray(0, key.length - 1);
}

/**
 * The first byte string after all keys with these first cells; `undefined` when nothing comes after them. Parameters and errors
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

/** The first byte string after all that begin with `prefix`; `undefined` when there is none. */
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
