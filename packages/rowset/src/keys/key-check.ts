/** Checks that the keys of a row set ascend, match the ad-hoc index, and extend from min_key to max_key. */
import type { KeyBatch } from "@cfile/bloomfile";
import { type CFileError, corrupt, type MemoryArena, toHex } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { BlockReadOptions } from "@cfile/format";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { type BaseColumn, openBaseColumn, scanColumn } from "../read/base-column.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { type EncodedBatch, KeyEncoder } from "./key-encoder.js";
import { KeyIndex } from "./key-index.js";
import { describeKey } from "./row-key-text.js";
import { compareKeys, keyAt, type RowKeys } from "./row-keys.js";

/** As many 64-bit integers as fit a block of Kudu's default size. */
const BATCH_ROWS = 32768;
const MAX_SHOWN_BYTES = 64;

/** The encoded keys of all rows, from the key columns. */
async function* keyBatches(
  parts: RowSetParts,
  { signal }: BlockReadOptions,
  arena: MemoryArena,
): AsyncGenerator<EncodedBatch, void, void> {
  const { rowCount } = await parts.keyFile();
  const settings = { from: 0, to: rowCount, isWhole: true, signal };
  const columns: BaseColumn[] = [];
  const encoder = new KeyEncoder(chooseRowKernels(parts.options.kernels), arena);
  try {
    for (const column of rowCount === 0 ? [] : parts.keyColumns) {
      columns.push(await openBaseColumn(parts, column, { ...settings, arena: arena.part(column.id) }));
    }
    for (let row = 0; row < rowCount; row += BATCH_ROWS) {
      const end = Math.min(rowCount, row + BATCH_ROWS);
      yield encoder.encode(await Promise.all(columns.map((column) => column.read(row, end))));
    }
  } finally {
    await Promise.all(columns.map((column) => column.close()));
    arena.recycle();
  }
}

/** Checked keys, for another check; valid until the next batch. */
export interface CheckedRowKeys extends RowKeys {
  /** Whether every key is greater than the previous one. */
  readonly isAscending: boolean;
}

/**
 * Checks keys batch by batch, reports the first error of each kind and yields the keys.
 *
 * @param arena for encoded keys, and its parts for the columns they are encoded from
 * @throws {CFileError} when a file cannot be read
 */
export async function* checkedKeys(
  parts: RowSetParts,
  { signal }: BlockReadOptions,
  arena: MemoryArena,
  report: (error: CFileError) => void,
): AsyncGenerator<CheckedRowKeys, void, void> {
  const file = await parts.keyFile();
  const { path, rowCount } = file;
  const index = await KeyIndex.open(file, { signal });
  const adhoc =
    parts.keyColumns.length > 1 && rowCount > 0
      ? scanColumn(file, { from: 0, to: rowCount, isWhole: true, arena: arena.part("index"), signal })
      : undefined;
  let row = 0;
  let last: RowKeys | undefined;
  let isAscending = true;
  let isIndexed = true;
  const reportAt = (keys: RowKeys, position: number, wrong: string): void => {
    const shown = describeKey(parts.schema, keyAt(keys, position));
    report(corrupt(`key ${shown} of row ${row + position} ${wrong}`, { path, field: "key", actual: row }));
  };
  try {
    for await (const { keys, descent: within } of keyBatches(parts, { signal }, arena)) {
      const descends = last !== undefined && compareKeys(last, last.length - 1, keys, 0) >= 0;
      const descent = descends ? 0 : within;
      if (isAscending && descent !== undefined) {
        isAscending = false;
        reportAt(keys, descent, "is not greater than the previous key");
      }
      const stored = await adhoc?.read(row, row + keys.length);
      const difference = isIndexed && stored !== undefined ? findDifference(keys, stored) : undefined;
      if (difference !== undefined) {
        isIndexed = false;
        reportAt(keys, difference, "differs from the ad-hoc index");
      }
      if (row === 0) {
        checkBound("min_key", index.minKey, keyAt(keys, 0), path, report);
      }
      row += keys.length;
      if (row === rowCount) {
        checkBound("max_key", index.maxKey, keyAt(keys, keys.length - 1), path, report);
      }
      yield { ...keys, isAscending: within === undefined };
      // The next batch reuses the memory of the columns, but not of these keys.
      last = keys;
    }
  } finally {
    await adhoc?.close();
  }
}

/** Keys in the form that the Bloom file accepts. Ending the iteration does not end `keys`. */
export function bloomKeys(keys: AsyncIterator<CheckedRowKeys>): AsyncIterable<KeyBatch> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const { done, value } = await keys.next();
        if (done === true) {
          return { done, value: undefined };
        }
        const { width, data, isAscending } = value;
        return { done: false, value: width === undefined ? value : { width, data, isAscending } };
      },
    }),
  };
}

function findDifference(keys: RowKeys, stored: ColumnBatch): number | undefined {
  if (stored.kind !== "binary") {
    return 0;
  }
  for (let i = 0; i < keys.length; i++) {
    if (compareKeys(keys, i, stored, i) !== 0) {
      return i;
    }
  }
  return undefined;
}

function checkBound(
  field: "min_key" | "max_key",
  stated: Uint8Array,
  key: Uint8Array,
  path: string,
  report: (error: CFileError) => void,
): void {
  const expected = toHex(key.subarray(0, MAX_SHOWN_BYTES));
  const actual = toHex(stated.subarray(0, MAX_SHOWN_BYTES));
  if (expected !== actual || key.length !== stated.length) {
    const row = field === "min_key" ? "first" : "last";
    report(corrupt(`${field} is not the key of the ${row} row`, { path, field, expected, actual }));
  }
}
