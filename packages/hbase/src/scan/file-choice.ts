/**
 * Decides which store files a scan can leave out: by their timestamps (docs/spec/hbase-table.md#63-files-left-out), their rows, and for
 * single rows their Bloom filters (docs/spec/hbase-table.md#83-question).
 */
import { compareBytes } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import { rowColumnKey, rowEnd } from "../bloom/bloom-key.js";
import type { RowBounds } from "../files/reference.js";
import type { StoreFile } from "../files/store-file.js";
import type { CellPlan, PlannedFamily } from "./scan-options.js";

const NO_QUALIFIER = /* @__PURE__ */ new Uint8Array(0);

/** Whether the timestamps of a file overlap those of the scan. */
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

/** The rows that a file may have among the given ones; `undefined` without any. */
export function rowsWithin({ bounds, hfile }: StoreFile, rows: RowBounds): RowBounds | undefined {
  const { from, to } = commonRows(bounds, rows);
  const { lastRow, entryCount } = hfile;
  const isEmpty =
    (from !== undefined && to !== undefined && compareBytes(from, to) >= 0) ||
    entryCount === 0 ||
    (from !== undefined && lastRow !== undefined && compareBytes(from, lastRow) > 0);
  return isEmpty ? undefined : { from, to };
}

/** The rows of both ranges. */
export function commonRows(one: RowBounds, other: RowBounds): RowBounds {
  return { from: later(one.from, other.from), to: earlier(one.to, other.to) };
}

function later(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array | undefined {
  return left === undefined || (right !== undefined && compareBytes(right, left) > 0) ? right : left;
}

function earlier(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array | undefined {
  return left === undefined || (right !== undefined && compareBytes(right, left) < 0) ? right : left;
}

/** The answer of a file's Bloom filter. @throws {CFileError} for damage; `E_IO` from the source */
export async function mayHaveRow(
  file: StoreFile,
  row: Uint8Array,
  qualifiers: readonly Uint8Array[] | undefined,
  options: ReadOptions,
): Promise<boolean> {
  const cached = cachedMayHaveRow(file, row, qualifiers);
  if (cached !== undefined) {
    return cached;
  }
  const answers = bloomKeys(file, row, qualifiers)?.map((key) =>
    file.blooms.general?.mayContain(key, options),
  );
  return (await Promise.all(answers as Promise<boolean>[])).some((answer) => answer);
}

/** Like {@link mayHaveRow}; `undefined` if a chunk of the filter must be read. */
export function cachedMayHaveRow(
  file: StoreFile,
  row: Uint8Array,
  qualifiers: readonly Uint8Array[] | undefined,
): boolean | undefined {
  const { general } = file.blooms;
  const keys = general && bloomKeys(file, row, qualifiers);
  if (general === undefined || keys === undefined) {
    return true;
  }
  let answer: boolean | undefined = false;
  for (const key of keys) {
    const one = general.cachedAnswer(key);
    if (one === true) {
      return true;
    }
    answer = one === undefined ? undefined : answer;
  }
  return answer;
}

/**
 * If the file has the row, its filter has one of these keys; a row after the filter's last key has no keys. `undefined` if the filter
 * says nothing about the row.
 */
function bloomKeys(
  { facts: { bloomType, bloomPrefixLength, lastBloomKey } }: StoreFile,
  row: Uint8Array,
  qualifiers: readonly Uint8Array[] | undefined,
): readonly Uint8Array[] | undefined {
  if (isAfterLast(bloomType, lastBloomKey, row, bloomPrefixLength)) {
    return [];
  }
  if (bloomType !== "ROWCOL") {
    return [bloomType === "ROW" ? row : row.subarray(0, bloomPrefixLength)];
  }
  const [qualifier, ...others] = qualifiers ?? [];
  // A marker of the family also deletes the column.
  return qualifier === undefined || others.length > 0
    ? undefined
    : [rowColumnKey(row, qualifier), rowColumnKey(row, NO_QUALIFIER)];
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
