/** Checks that the keys of a row set ascend, match the ad-hoc index, and extend from min_key to max_key. */
import type { KeyBatch } from "@cfile/bloomfile";
import { type CFileError, corrupt, type MemoryArena, toHex } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { type BaseColumn, openBaseColumn, scanColumn } from "../read/base-column.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { KeyEncoder } from "./key-encoder.js";
import type { KeyIndex } from "./key-index.js";
import { describeKey } from "./row-key-text.js";
import { compareKeys, keyAt, type RowKeys } from "./row-keys.js";

/** As many 64-bit integers as fit a block of Kudu's default size. */
const BATCH_ROWS = 32768;
const MAX_SHOWN_BYTES = 64;

/** The same rows of all key columns, and of the ad-hoc index if there is one. */
export interface KeyColumnBatches {
  readonly columns: readonly ColumnBatch[];
  readonly stored: ColumnBatch | undefined;
}

/**
 * Reads the key columns, and the ad-hoc index of several key columns.
 *
 * @param arena memory for batches, each valid until the next one
 * @throws {CFileError} when a file cannot be read
 */
export async function* readKeyColumns(
  parts: RowSetParts,
  signal: AbortSignal | undefined,
  arena: MemoryArena,
): AsyncGenerator<KeyColumnBatches, void, void> {
  const file = await parts.keyFile();
  const { rowCount } = file;
  const settings = { from: 0, to: rowCount, isWhole: true, signal };
  const columns: BaseColumn[] = [];
  const index =
    parts.keyColumns.length > 1 && rowCount > 0
      ? scanColumn(file, { ...settings, arena: arena.part("index") })
      : undefined;
  try {
    for (const column of rowCount === 0 ? [] : parts.keyColumns) {
      columns.push(await openBaseColumn(parts, column, { ...settings, arena: arena.part(column.id) }));
    }
    for (let row = 0; row < rowCount; row += BATCH_ROWS) {
      const end = Math.min(rowCount, row + BATCH_ROWS);
      const read = await Promise.all(columns.map((column) => column.read(row, end)));
      yield { columns: read, stored: await index?.read(row, end) };
    }
  } finally {
    await Promise.all(columns.map((column) => column.close()));
    await index?.close();
  }
}

/** Checks keys batch by batch. */
export class KeyCheck {
  /** The first error of each kind. */
  readonly mistakes: CFileError[] = [];
  private readonly parts: RowSetParts;
  private readonly index: KeyIndex;
  private readonly path: string;
  private readonly encoder: KeyEncoder;
  private row = 0;
  private last: RowKeys | undefined;
  private isAscending = true;
  private isIndexed = true;

  /** @param memory for encoded keys */
  constructor(parts: RowSetParts, index: KeyIndex, path: string, memory: MemoryArena) {
    this.parts = parts;
    this.index = index;
    this.path = path;
    this.encoder = new KeyEncoder(chooseRowKernels(parts.options.kernels), memory);
  }

  /**
   * Checks the keys of the next rows. The returned keys are valid until the next call.
   *
   * @throws {CFileError} as `encodeRowKeys`
   */
  check({ columns, stored }: KeyColumnBatches): KeyBatch {
    const { last, row } = this;
    const { keys, descent: within } = this.encoder.encode(columns);
    const descends = last !== undefined && compareKeys(last, last.length - 1, keys, 0) >= 0;
    const descent = descends ? 0 : within;
    if (this.isAscending && descent !== undefined) {
      this.isAscending = false;
      this.report(keys, descent, "is not greater than the previous key");
    }
    const difference = this.isIndexed && stored !== undefined ? findDifference(keys, stored) : undefined;
    if (difference !== undefined) {
      this.isIndexed = false;
      this.report(keys, difference, "differs from the ad-hoc index");
    }
    if (row === 0) {
      this.checkBound("min_key", this.index.minKey, keyAt(keys, 0));
    }
    this.row += keys.length;
    if (this.row === this.index.rowCount) {
      this.checkBound("max_key", this.index.maxKey, keyAt(keys, keys.length - 1));
    }
    // The memory of the columns can be reused for the next batch, but not that of these keys.
    this.last = keys;
    const { width, data, offsets } = keys;
    const isAscending = within === undefined;
    return width === undefined ? { offsets, data, isAscending } : { width, data, isAscending };
  }

  private report(keys: RowKeys, position: number, wrong: string): void {
    const shown = describeKey(this.parts.schema, keyAt(keys, position));
    const reason = `key ${shown} of row ${this.row + position} ${wrong}`;
    this.mistakes.push(corrupt(reason, { path: this.path, field: "key", actual: this.row }));
  }

  private checkBound(field: "min_key" | "max_key", stated: Uint8Array, key: Uint8Array): void {
    const expected = toHex(key.subarray(0, MAX_SHOWN_BYTES));
    const actual = toHex(stated.subarray(0, MAX_SHOWN_BYTES));
    if (expected !== actual || key.length !== stated.length) {
      const { path } = this;
      const row = field === "min_key" ? "first" : "last";
      this.mistakes.push(
        corrupt(`${field} is not the key of the ${row} row`, { path, field, expected, actual }),
      );
    }
  }
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
