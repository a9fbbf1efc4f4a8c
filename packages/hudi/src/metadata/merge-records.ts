/** Merges records of the metadata table that have the same key (docs/spec/hudi-table.md#83-merging). */

import { type AvroObject, type AvroValue, signedInteger } from "@cfile/avro";
import { compareValues, wrapped } from "../log/wrapped-value.js";
import { countOf, entriesOf, recordOf } from "../timeline/content-fields.js";

/** Field of the lists of files and partitions. */
export const FILES = "filesystemMetadata";
const STATS = "ColumnStatsMetadata";

/** A record without its key. */
export type MetadataRecord = AvroObject;

/** The newer record merged over the older one. @throws {CFileError} `E_CORRUPT` for malformed records */
export function mergeRecords(older: MetadataRecord | undefined, newer: MetadataRecord): MetadataRecord {
  if (older === undefined) {
    return newer;
  }
  if (isPresent(newer[FILES]) && isPresent(older[FILES])) {
    return { ...newer, [FILES]: mergeFiles(older[FILES], newer[FILES]) };
  }
  if (isPresent(newer[STATS]) && isPresent(older[STATS])) {
    return { ...newer, [STATS]: mergeStats(recordOf(older[STATS], STATS), recordOf(newer[STATS], STATS)) };
  }
  return newer;
}

/** Files or partitions of a record, without deleted ones: name and size. @throws {CFileError} `E_CORRUPT` */
export function listedFiles(record: MetadataRecord): Map<string, number> {
  const files = new Map<string, number>();
  for (const [name, value] of entriesOf(record[FILES], FILES)) {
    const { size, isDeleted } = fileInfo(value);
    if (!isDeleted) {
      files.set(name, size);
    }
  }
  return files;
}

function mergeFiles(older: AvroValue | undefined, newer: AvroValue | undefined): Map<string, AvroValue> {
  const merged = new Map(entriesOf(older, FILES));
  for (const [name, value] of entriesOf(newer, FILES)) {
    const known = merged.get(name);
    const before = known === undefined ? undefined : fileInfo(known);
    const { size, isDeleted } = fileInfo(value);
    if (before === undefined || before.isDeleted) {
      merged.set(name, value);
    } else if (isDeleted) {
      merged.delete(name);
    } else {
      merged.set(name, { size: Math.max(size, before.size), isDeleted: false });
    }
  }
  return merged;
}

function fileInfo(value: AvroValue): { size: number; isDeleted: boolean } {
  const info = recordOf(value, FILES);
  return { size: countOf(info["size"], "size"), isDeleted: info["isDeleted"] === true };
}

function mergeStats(older: AvroObject, newer: AvroObject): AvroObject {
  if (newer["isDeleted"] === true || older["isDeleted"] === true || newer["isTightBound"] === true) {
    return newer;
  }
  const sum = (field: string): number => countOf(older[field], field) + countOf(newer[field], field);
  return {
    ...newer,
    minValue: bound(older["minValue"], newer["minValue"], -1),
    maxValue: bound(older["maxValue"], newer["maxValue"], 1),
    valueCount: sum("valueCount"),
    nullCount: sum("nullCount"),
    totalSize: sum("totalSize"),
    totalUncompressedSize: sum("totalUncompressedSize"),
  };
}

function bound(a: AvroValue | undefined, b: AvroValue | undefined, sign: 1 | -1): AvroValue {
  const [first, second] = [wrapped(a), wrapped(b)];
  if (first === undefined || second === undefined) {
    return (first === undefined ? b : a) ?? null;
  }
  const isDecimal = [first, second].some(({ wrapper }) => wrapper === "DecimalWrapper");
  const order = compareValues(comparable(first.value, isDecimal), comparable(second.value, isDecimal));
  return (order * sign >= 0 ? a : b) as AvroValue;
}

/** Version 6 stores decimals both as bytes and as decimals. */
function comparable(value: AvroValue, isDecimal: boolean): AvroValue {
  return isDecimal && value instanceof Uint8Array ? signedInteger(value) : value;
}

function isPresent(value: AvroValue | undefined): boolean {
  return value !== null && value !== undefined;
}
