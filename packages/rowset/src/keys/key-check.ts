/** The keys of a row set: strictly ascending, the same in key columns and ad-hoc index, from min_key to max_key. */
import type { KeyBatch } from "@cfile/bloomfile";
import { type CFileError, corrupt, type MemoryArena, toHex } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { BlockReadOptions, CFileReader } from "@cfile/format";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { type BaseColumn, openBaseColumn, scanColumn } from "../read/base-column.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { type EncodedBatch, KeyEncoder } from "./key-encoder.js";
import { KeyIndex } from "./key-index.js";
import { describeKey } from "./row-key-text.js";
import { compareKeys, keyAt, type RowKeys } from "./row-keys.js";

/** As many 64-bit integers as a block of Kudu's default size has. */
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

/** Keys that were checked, for those who need them, too: valid until the next. */
export interface CheckedRowKeys extends RowKeys {
  /** Whether no key is before the one before it. */
  readonly isAscending: boolean;
}

/**
 * Checks them batch by batch, reports the first of each kind of mistake, and hands them on.
 *
 * @param arena for encoded keys, and in its parts the columns they are encoded from
 * @throws CFileError when a file cannot be read
 */
export async function* checkedKeys(
  parts: RowSetParts,
  options: BlockReadOptions,
  arena: MemoryArena,
  report: (error: CFileError) => void,
): AsyncGenerator<CheckedRowKeys, void, void> {
  const file = await parts.keyFile();
  const index = await KeyIndex.open(file, options);
  const adhoc = parts.keyColumns.length > 1 ? await adhocKeys(file, options, arena.part("index")) : undefined;
  let row = 0;
  let last: RowKeys | undefined;
  let isAscending = true;
  let isIndexed = true;
  try {
    for await (const { keys, descent: within } of keyBatches(parts, options, arena)) {
      const descends = last !== undefined && compareKeys(last, last.length - 1, keys, 0) >= 0;
      const descent = descends ? 0 : within;
      if (isAscending && descent !== undefined) {
        isAscending = false;
        const shown = describeKey(parts.schema, keyAt(keys, descent));
        report(
          corrupt(
            `key ${shown} of row ${row + descent} is not above that of the row before`,
            place(file, row),
          ),
        );
      }
      const stored = await adhoc?.read(row, row + keys.length);
      const difference = isIndexed && stored !== undefined ? findDifference(keys, stored) : undefined;
      if (difference !== undefined) {
        isIndexed = false;
        const shown = describeKey(parts.schema, keyAt(keys, difference));
        report(
          corrupt(
            `row ${row + difference} has another key in the index than its columns' ${shown}`,
            place(file, row),
          ),
        );
      }
      if (row === 0) {
        checkEnd("min_key", index.minKey, keyAt(keys, 0), file, report);
      }
      row += keys.length;
      if (row === file.rowCount) {
        checkEnd("max_key", index.maxKey, keyAt(keys, keys.length - 1), file, report);
      }
      yield { ...keys, isAscending: within === undefined };
      // The next batch takes the memory of the columns, and of the keys before these.
      last = keys;
    }
  } finally {
    await adhoc?.close();
  }
}

/** Keys as the Bloom file takes them. Who stops asking leaves the rest to others. */
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

async function adhocKeys(
  file: CFileReader,
  { signal }: BlockReadOptions,
  arena: MemoryArena,
): Promise<BaseColumn | undefined> {
  const { rowCount } = file;
  return rowCount === 0
    ? undefined
    : scanColumn(file, { from: 0, to: rowCount, isWhole: true, arena, signal });
}

function place({ path }: CFileReader, row: number): { path: string; field: string; actual: number } {
  return { path, field: "key", actual: row };
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

function checkEnd(
  field: string,
  stated: Uint8Array,
  key: Uint8Array,
  { path }: CFileReader,
  report: (error: CFileError) => void,
): void {
  const expected = toHex(key.subarray(0, MAX_SHOWN_BYTES));
  const actual = toHex(stated.subarray(0, MAX_SHOWN_BYTES));
  if (expected !== actual || key.length !== stated.length) {
    report(
      corrupt(`${field} is not the key of the ${field === "min_key" ? "first" : "last"} row`, {
        path,
        field,
        expected,
        actual,
      }),
    );
  }
}
