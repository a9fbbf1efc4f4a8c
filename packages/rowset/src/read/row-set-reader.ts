/** Reads a row set: scans, lookups, diffs and histories. The code for everything but scans is lazily loaded. */
import type { TableBatch } from "@cfile/encodings/batches";
import type { BlockReadOptions } from "@cfile/format";
import type { DiffBatch, DiffOptions } from "../delta/row-changes.js";
import type { HistoryOptions, RowVersion } from "../delta/row-history.js";
import { KeyIndex } from "../keys/key-index.js";
import { encodeRowKey, type RowKey } from "../keys/row-key.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { RowSetVerifyOptions, RowSetVerifyReport } from "../verify/verify-row-set.js";
import type { LookUpOptions, RowCells } from "./row-lookup.js";
import { type RowSetFiles, type RowSetOptions, RowSetParts } from "./row-set-parts.js";
import { scanRowSet } from "./row-set-scan.js";
import type { RowScanOptions } from "./scan-options.js";

/**
 * Opens a DiskRowSet by the roles of its files, for reading. Only the footer of the key's file is read and checked; other files
 * are opened, and checked, when they are first needed.
 *
 * @throws {CFileError} with path and field. `E_NOT_FOUND`, `E_BLOCK_MISSING`: a file is missing; `E_CORRUPT`, `E_TRUNCATED`,
 *   `E_CHECKSUM`: a file is damaged, or does not match its role and the schema; `E_LIMIT`: it claims more than `limits` allow;
 *   `E_IO`: a source failed; `E_INVALID_ARGUMENT`: the schema is invalid
 */
export async function openRowSet(
  files: RowSetFiles,
  schema: RowSetSchema,
  options: RowSetOptions = {},
): Promise<RowSetReader> {
  const parts = new RowSetParts(files, schema, options);
  return new RowSetReader(parts, await KeyIndex.open(await parts.keyFile(), options));
}

/** An open DiskRowSet: scans, lookups, histories and diffs of its rows. */
export class RowSetReader {
  readonly files: RowSetFiles;
  readonly schema: RowSetSchema;
  /** Rows of the base data, including deleted rows. */
  readonly rowCount: number;
  /** The minimum encoded key, even if its row is deleted; empty without rows. */
  readonly minKey: Uint8Array;
  /** The maximum encoded key, even if its row is deleted; empty without rows. */
  readonly maxKey: Uint8Array;
  /** @internal */
  readonly parts: RowSetParts;
  private readonly index: KeyIndex;
  private rowCells: typeof import("./row-lookup.js").rowCells | undefined;

  /** @internal Row sets are opened by {@link openRowSet}. */
  constructor(parts: RowSetParts, index: KeyIndex) {
    this.files = parts.files;
    this.schema = parts.schema;
    this.rowCount = index.rowCount;
    this.minKey = index.minKey;
    this.maxKey = index.maxKey;
    this.parts = parts;
    this.index = index;
  }

  /**
   * Yields rows in key order, in batches of at least one row. Breaking out of the loop stops reading.
   *
   * @throws {CFileError} as {@link openRowSet}; `E_INVALID_ARGUMENT` for options that do not fit the schema
   */
  scan(options: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const { index, parts } = this;
    return scanRowSet(
      { parts, index, mayContain: (key, signal) => this.mayContain(key, { signal }) },
      options,
    );
  }

  /**
   * One row by its key; `undefined` when it does not exist at that time.
   *
   * @throws {CFileError} as {@link scan}
   */
  async get(key: RowKey, options: LookUpOptions = {}): Promise<RowCells | undefined> {
    const row = await this.findRow(key, options);
    if (row === undefined) {
      return undefined;
    }
    // Cached: an import() per lookup would cost more than reading a cached row.
    this.rowCells ??= (await import("./row-lookup.js")).rowCells;
    return this.rowCells(this.parts, row, options);
  }

  /**
   * The number of the row with this key, which may be deleted; `undefined` if the key is unknown.
   *
   * @throws {CFileError} as {@link scan}
   */
  async findRow(key: RowKey, options: BlockReadOptions = {}): Promise<number | undefined> {
    const encoded = encodeRowKey(this.schema, key);
    if (!(await this.mayContain(encoded, options))) {
      return undefined;
    }
    const { row, exact } = await this.index.lowerBound(encoded, options);
    return exact ? row : undefined;
  }

  /**
   * Yields rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), in key order, as of `to`. Rows that exist
   * neither at `from` nor at `to` are omitted.
   *
   * @throws {CFileError} as {@link scan}
   */
  async *diff(from: bigint, to: bigint, options: DiffOptions = {}): AsyncGenerator<DiffBatch, void, void> {
    const { scanChanges } = await import("../delta/row-changes.js");
    yield* scanChanges(this.parts, this.rowCount, { from, to }, options);
  }

  /**
   * All known versions of a row, oldest first; none for an unknown key.
   *
   * @throws {CFileError} as {@link scan}
   */
  async history(key: RowKey, options: HistoryOptions = {}): Promise<RowVersion[]> {
    const row = await this.findRow(key, options);
    if (row === undefined) {
      return [];
    }
    const { rowHistory } = await import("../delta/row-history.js");
    return rowHistory(this.parts, row, options);
  }

  /**
   * Checks all files of the row set, and that they belong together.
   *
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`; damage is reported, not thrown
   */
  async verify(options: RowSetVerifyOptions = {}): Promise<RowSetVerifyReport> {
    const { verifyRowSet } = await import("../verify/verify-row-set.js");
    return verifyRowSet(this.files, this.schema, options);
  }

  /** Closes all files. */
  close(): Promise<void> {
    return this.parts.close();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async mayContain(key: Uint8Array, { signal }: BlockReadOptions): Promise<boolean> {
    const bloom = await this.parts.bloom();
    return bloom === undefined || bloom.mayContain(key, { signal, onDamage: this.parts.options.onDamage });
  }
}
