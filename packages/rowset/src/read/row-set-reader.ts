/**
 * Reading a row set: scans, look-ups, changes between timestamps, histories of rows. The code for all but scans is loaded when it
 * is needed.
 */
import type { TableBatch } from "@cfile/encodings/batches";
import type { BlockReadOptions } from "@cfile/format";
import type { DiffOptions } from "../delta/row-changes.js";
import type { HistoryOptions, RowVersion } from "../delta/row-history.js";
import { KeyIndex } from "../keys/key-index.js";
import { encodeRowKey, type RowKey } from "../keys/row-key.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { DiffBatch, RowCells } from "./row-batch.js";
import type { LookUpOptions } from "./row-look-up.js";
import type { RowSetFiles } from "./row-set-files.js";
import { type RowSetOptions, RowSetParts } from "./row-set-parts.js";
import { scanRowSet } from "./row-set-scan.js";
import type { RowScanOptions } from "./scan-options.js";

/**
 * Opens a DiskRowSet by the roles of its files, for reading. Only the footer of the key's file is read and checked; other files
 * are opened, and checked, when they are first needed.
 *
 * @throws {CFileError} with path and field. `E_NOT_FOUND`: a file is missing; `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`: a file
 *   is damaged, or does not match its role and the schema; `E_LIMIT`: it claims more than `limits` allow; `E_IO`: a source
 *   failed; `E_INVALID_ARGUMENT`: the schema is invalid
 */
export async function openRowSet(
  files: RowSetFiles,
  schema: RowSetSchema,
  options: RowSetOptions = {},
): Promise<RowSetReader> {
  const parts = new RowSetParts(files, schema, options);
  return new RowSetReader(parts, await KeyIndex.open(await parts.keyFile(), options));
}

/** One open DiskRowSet: scans, look-ups, versions and diffs of its rows. Its files are opened when they are needed. */
export class RowSetReader {
  /** @internal */
  readonly parts: RowSetParts;
  private readonly index: KeyIndex;
  private rowCells: typeof import("./row-look-up.js").rowCells | undefined;

  /** @internal Comes from {@link openRowSet}. */
  constructor(parts: RowSetParts, index: KeyIndex) {
    this.parts = parts;
    this.index = index;
  }

  get files(): RowSetFiles {
    return this.parts.files;
  }

  get schema(): RowSetSchema {
    return this.parts.schema;
  }

  /** Rows of the base data, deleted ones included. */
  get rowCount(): number {
    return this.index.rowCount;
  }

  /** The smallest encoded key, of a deleted row perhaps; empty without rows. */
  get minKey(): Uint8Array {
    return this.index.minKey;
  }

  /** The largest encoded key. */
  get maxKey(): Uint8Array {
    return this.index.maxKey;
  }

  /**
   * The rows in key order, in batches; none of them empty. Stopping the iteration stops the reading.
   *
   * @throws CFileError as {@link openRowSet}; `E_INVALID_ARGUMENT` for options that do not fit the schema
   */
  scan(options: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const { index, parts } = this;
    const mayContain = (key: Uint8Array, signal: AbortSignal | undefined): Promise<boolean> =>
      this.mayContain(key, { signal });
    return scanRowSet({ parts, index, mayContain }, options);
  }

  /**
   * One row by its key: `undefined` when there is none, or not at that time.
   *
   * @throws CFileError as {@link scan}
   */
  async get(key: RowKey, options: LookUpOptions = {}): Promise<RowCells | undefined> {
    const row = await this.findRow(key, options);
    if (row === undefined) {
      return undefined;
    }
    this.rowCells ??= (await import("./row-look-up.js")).rowCells;
    return this.rowCells(this.parts, row, options);
  }

  /**
   * The number of the row with this key, which may be deleted; `undefined` when there is none.
   *
   * @throws CFileError as {@link scan}
   */
  async findRow(key: RowKey, options: BlockReadOptions = {}): Promise<number | undefined> {
    const encoded = encodeRowKey(this.schema, key);
    if (!(await this.mayContain(encoded, options))) {
      return undefined;
    }
    const found = await this.index.lowerBound(encoded, options);
    return found.exact ? found.row : undefined;
  }

  /**
   * The rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), in key order, as they are at `to`. Rows that
   * were there neither at `from` nor at `to` are left out.
   *
   * @throws CFileError as {@link scan}
   */
  async *diff(from: bigint, to: bigint, options: DiffOptions = {}): AsyncGenerator<DiffBatch, void, void> {
    const { scanChanges } = await import("../delta/row-changes.js");
    yield* scanChanges(this.parts, this.rowCount, from, to, options);
  }

  /**
   * All versions of a row that base data and changes tell, oldest first; none for a key that is not there.
   *
   * @throws CFileError as {@link scan}
   */
  async history(key: RowKey, options: HistoryOptions = {}): Promise<RowVersion[]> {
    const row = await this.findRow(key, options);
    if (row === undefined) {
      return [];
    }
    const { rowHistory } = await import("../delta/row-history.js");
    return rowHistory(this.parts, row, options);
  }

  /** Closes all files. */
  close(): Promise<void> {
    return this.parts.close();
  }

  /** Closes it at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async mayContain(key: Uint8Array, { signal }: BlockReadOptions): Promise<boolean> {
    const bloom = await this.parts.bloom();
    if (bloom === undefined) {
      return true;
    }
    return bloom.mayContain(key, { signal, onDamage: this.parts.options.onDamage });
  }
}
