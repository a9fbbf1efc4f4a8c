/**
 * Which store files a scan can leave out: by their timestamps (docs/spec/hbase-table.md#63-files-left-out), their rows, and for single
 * rows their Bloom filters (docs/spec/hbase-table.md#83-question).
 */
import { compareBytes } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import { rowColumnKey, rowEnd } from "../bloom/bloom-key.js";
import type { RowBounds } from "../files/reference.js";
import type { StoreFile } from "../files/store-file.js";
import type { CellPlan, PlannedFamily } from "./scan-options.js";

const NO_QUALIFIER = /* @__PURE__ */ new Uint8Array(0);

/** Whether the timestamps of a file meet those that the scan looks for. */
export function meetsTime(
  { facts }: StoreFile,
  { from, to }: CellPlan,
  { settings }: PlannedFamily,
): boolean {
  const { timeRange } = facts;
  if (timeRange === undefined) {
    return true;
  }
  const { raw, minVersions, oldestTimestamp } = settings;
  const hasExpired = !raw && minVersions === 0 && Number(timeRange.max) < oldestTimestamp;
  return timeRange.min < to && timeRange.max >= from && !hasExpired;
}

/** The rows that a file may have within given ones; `undefined` without any. */
export function rowsWithin({ bounds, hfile }: StoreFile, rows: RowBounds): RowBounds | undefined {
  const from = later(bounds.from, rows.from);
  const to = earlier(bounds.to, rows.to);
  const { lastRow, entryCount } = hfile;
  const isEmpty =
    (from !== undefined && to !== undefined && compareBytes(from, to) >= 0) ||
    entryCount === 0 ||
    (from !== undefined && lastRow !== undefined && compareBytes(from, lastRow) > 0);
  return isEmpty ? undefined : { from, to };
}

function later(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array | undefined {
  return left === undefined || (right !== undefined && compareBytes(right, left) > 0) ? right : left;
}

function earlier(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array | undefined {
  return left === undefined || (right !== undefined && compareBytes(right, left) < 0) ? right : left;
}

/** The answer of a file's Bloom filter; a promise if a chunk must be read. */
export function mayHaveRow(
  { facts, blooms }: StoreFile,
  row: Uint8Array,
  qualifiers: readonly Uint8Array[] | undefined,
  options: ReadOptions,
): boolean | Promise<boolean> {
  const { general } = blooms;
  if (general === undefined) {
    return true;
  }
  if (isAfterLast(facts.bloomType, facts.lastBloomKey, row, facts.bloomPrefixLength)) {
    return false;
  }
  switch (facts.bloomType) {
    case "ROW":
      return general.cachedAnswer(row) ?? general.mayContain(row, options);
    case "ROWPREFIX_FIXED_LENGTH": {
      const prefix = row.subarray(0, facts.bloomPrefixLength);
      return general.cachedAnswer(prefix) ?? general.mayContain(prefix, options);
    }
    case "ROWCOL": {
      const qualifier = qualifiers?.length === 1 ? qualifiers[0] : undefined;
      if (qualifier === undefined) {
        return true;
      }
      const keys = [rowColumnKey(row, qualifier)];
      if (qualifier.length > 0) {
        // A marker of the family deletes the column too.
        keys.push(rowColumnKey(row, NO_QUALIFIER));
      }
      return anyKey(keys, (key) => general.cachedAnswer(key) ?? general.mayContain(key, options));
    }
    default:
      return true;
  }
}

function anyKey(
  keys: readonly Uint8Array[],
  ask: (key: Uint8Array) => boolean | Promise<boolean>,
): boolean | Promise<boolean> {
  const answers = keys.map(ask);
  if (answers.includes(true)) {
    return true;
  }
  return answers.every((answer) => answer === false)
    ? false
    : Promise.all(answers).then((settled) => settled.includes(true));
}

function isAfterLast(
  type: StoreFile["facts"]["bloomType"],
  lastKey: Uint8Array | undefined,
  row: Uint8Array,
  prefixLength: number,
): boolean {
  if (lastKey === undefined || lastKey.length === 0) {
    return false;
  }
  const last = type === "ROWCOL" ? lastKey.subarray(2, rowEnd(lastKey)) : lastKey;
  const asked = type === "ROWPREFIX_FIXED_LENGTH" ? row.subarray(0, prefixLength) : row;
  return compareBytes(asked, last) > 0;
}
