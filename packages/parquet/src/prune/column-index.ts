/**
 * Bounds of the pages of a chunk (its column index), and of whole chunks (statistics), as bytes: the library converts strings to text
 * and times to milliseconds, which is not exact.
 *
 * | field of a column index | meaning |
 * | --- | --- |
 * | 1 | list of booleans: whether a page is all null |
 * | 2, 3 | lists of minimum and maximum values |
 * | 5 | list of null counts, optional |
 */
import { attempt } from "@cfile/bytes";
import { type ThriftFields, thriftFields } from "../schema/thrift-fields.js";
import type { PartBounds } from "./bounds-test.js";

/** The bounds of a chunk's pages; `undefined` when the index is invalid. */
export function columnIndexOf(bytes: Uint8Array, pages: number): PartBounds | undefined {
  const fields = attempt(() => thriftFields(bytes, "column index"))?.fields;
  const areNull = listOf(fields?.["field_1"], isBoolean, pages);
  const mins = listOf(fields?.["field_2"], isBytes, pages);
  const maxs = listOf(fields?.["field_3"], isBytes, pages);
  if (areNull === undefined || mins === undefined || maxs === undefined) {
    return undefined;
  }
  const nullCounts = listOf(fields?.["field_5"], isBigint, pages)?.map(Number);
  return { areNull, nullCounts, mins, maxs };
}

/** The bounds of one chunk. @param metadata fields of the file's metadata */
export function chunkBoundsOf(metadata: ThriftFields, group: number, column: number): PartBounds | undefined {
  const chunk = memberOf(metadata, "field_4", group, "field_1", column);
  const statistics = memberOf(chunk, "field_3", "field_12");
  const [nulls, max, min] = ["field_3", "field_5", "field_6"].map((id) => memberOf(statistics, id));
  if (!isBytes(min) || !isBytes(max)) {
    return undefined;
  }
  const nullCounts = isBigint(nulls) ? [Number(nulls)] : undefined;
  return { areNull: [false], nullCounts, mins: [min], maxs: [max] };
}

function memberOf(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce((found, key) => Object(found)[key], value);
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isBigint = (value: unknown): value is bigint => typeof value === "bigint";
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

function listOf<T>(list: unknown, is: (value: unknown) => value is T, length: number): T[] | undefined {
  return Array.isArray(list) && list.length === length && list.every(is) ? list : undefined;
}
