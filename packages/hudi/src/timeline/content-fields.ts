/** Fields of timeline files. Files are Avro or JSON: a map is a `Map` in Avro, and an object in JSON. */

import type { AvroObject, AvroValue } from "@cfile/avro";
import { corrupt } from "@cfile/bytes";

/** Requires a record. @throws {CFileError} `E_CORRUPT` */
export function recordOf(value: AvroValue | undefined, field: string): AvroObject {
  if (
    typeof value !== "object" ||
    value === null ||
    Array.isArray(value) ||
    value instanceof Map ||
    value instanceof Uint8Array
  ) {
    throw corrupt(`${field} is not a record`, { field });
  }
  return value;
}

/** Entries of a map; empty for null or an absent field. @throws {CFileError} `E_CORRUPT` for another value */
export function entriesOf(value: AvroValue | undefined, field: string): [string, AvroValue][] {
  if (value === null || value === undefined) {
    return [];
  }
  return value instanceof Map ? [...value] : Object.entries(recordOf(value, field));
}

/** Items of an array; empty for null or an absent field. @throws {CFileError} `E_CORRUPT` for another value */
export function itemsOf(value: AvroValue | undefined, field: string): readonly AvroValue[] {
  if (value === null || value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw corrupt(`${field} is not an array`, { field });
  }
  return value;
}

/** Text; `undefined` for null or an absent field. @throws {CFileError} `E_CORRUPT` for another value */
export function textOf(value: AvroValue | undefined, field: string): string | undefined {
  if (value === null || value === undefined) {
    return undefined;
  }
  if (typeof value !== "string") {
    throw corrupt(`${field} is not text`, { field });
  }
  return value;
}

/** An integer; 0 for null or an absent field. @throws {CFileError} `E_CORRUPT` for another value */
export function countOf(value: AvroValue | undefined, field: string): number {
  if (value === null || value === undefined) {
    return 0;
  }
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw corrupt(`${field} is not an integer`, { field });
  }
  return value;
}
