/**
 * The files of a row set, each lazily opened and checked against its role
 * (docs/spec/diskrowset.md#2-writer-options-per-file, docs/spec/diskrowset.md#10-consistency-checks):
 *
 * | role | must be |
 * | --- | --- |
 * | column | column data with the type, nullability and arrays of the schema, and as many rows as the key |
 * | ad-hoc index | BINARY, not nullable, with a value index |
 * | Bloom file | `@cfile/bloomfile` opens it |
 * | REDO, UNDO | `@cfile/deltafile` opens it |
 *
 * The code for Bloom and delta files is loaded lazily.
 */
import type { BloomFileReader } from "@cfile/bloomfile";
import { CacheBudget, CFileError, corrupt, mismatch, type OnDamage, reportDamage } from "@cfile/bytes";
import { type DeltaKind, LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { DeltaFileReader } from "@cfile/deltafile/read";
import { type CFileReader, type OpenOptions, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import { checkSchema, keyColumns, type RowSetColumn, type RowSetSchema } from "../schema/schema.js";

/** The files of a DiskRowSet by role; see docs/spec/diskrowset.md#1-composition. */
export interface RowSetFiles {
  /** Base data by column ID. Columns added later have no file; dropped columns may still have one. */
  readonly columns: ReadonlyMap<number, ByteSource>;
  readonly bloom?: ByteSource | undefined;
  /** The index of a primary key of several columns. */
  readonly adhocIndex?: ByteSource | undefined;
  /** Oldest first. */
  readonly redo: readonly ByteSource[];
  /** Newest first. */
  readonly undo: readonly ByteSource[];
}

/** Options as for a single file; `cacheBytes` is shared by all files of the row set, default 256 MiB. */
export interface RowSetOptions extends OpenOptions {
  /** Called for damage of the Bloom file; lookups then continue without it, as in Kudu. Default: damage is thrown. */
  readonly onDamage?: OnDamage | undefined;
  /** Whether delta files are skipped when their statistics show no relevant changes. Default `true`, as in Kudu. */
  readonly trustStatistics?: boolean | undefined;
}

/** An open delta file and its role. */
export interface DeltaPart {
  readonly kind: DeltaKind;
  readonly reader: DeltaFileReader;
}

const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;

/** The cache budget that all files share; a number creates a new budget. */
export function cacheBudget({ cacheBytes = DEFAULT_CACHE_BYTES }: RowSetOptions): CacheBudget {
  return typeof cacheBytes === "number" ? new CacheBudget(cacheBytes) : cacheBytes;
}

export class RowSetParts {
  readonly files: RowSetFiles;
  readonly schema: RowSetSchema;
  readonly options: RowSetOptions;
  readonly keyColumns: readonly RowSetColumn[];
  private readonly opened = new Map<number | "key" | "bloom" | DeltaKind, Promise<unknown>>();

  /** @throws {CFileError} as `checkSchema` */
  constructor(files: RowSetFiles, schema: RowSetSchema, options: RowSetOptions) {
    checkSchema(schema);
    this.files = files;
    this.schema = schema;
    this.options = { ...options, cacheBytes: cacheBudget(options) };
    this.keyColumns = keyColumns(schema);
  }

  /** Whether the column has base data, which columns added later lack. Key columns always have base data. */
  hasColumn({ id, isKey }: RowSetColumn): boolean {
    return isKey || this.files.columns.has(id);
  }

  /**
   * The file of a column.
   *
   * @throws {CFileError} `E_BLOCK_MISSING` without one; `E_CORRUPT` when it does not match the schema; as `openCFile`
   */
  column(column: RowSetColumn): Promise<CFileReader> {
    return this.once(column.id, async () => {
      const file = await this.openColumn(column);
      if (this.keyColumns.length > 1 || !column.isKey) {
        const { rowCount } = await this.keyFile();
        if (file.rowCount !== rowCount) {
          throw wrongRowCount(file, rowCount);
        }
      }
      return file;
    });
  }

  /** The file in which rows are found by key: the ad-hoc index, or the only key column. Errors as {@link column}. */
  keyFile(): Promise<CFileReader> {
    const [only] = this.keyColumns;
    return this.once("key", () =>
      only !== undefined && this.keyColumns.length === 1 ? this.openColumn(only) : this.openAdhocIndex(),
    );
  }

  /** The Bloom file; `undefined` without one, and when it is damaged and there is an `onDamage`. */
  async bloom(): Promise<BloomFileReader | undefined> {
    const source = this.files.bloom;
    if (source === undefined) {
      return undefined;
    }
    try {
      return await this.once("bloom", async () => {
        const { openBloomFile } = await import("@cfile/bloomfile");
        return openBloomFile(source, this.options);
      });
    } catch (error) {
      reportDamage(error, this.options.onDamage);
      return undefined;
    }
  }

  /** Whether there are delta files that a snapshot may need. The latest needs no UNDO files, which are then not even opened. */
  hasDeltas(asOf: bigint): boolean {
    const { redo, undo } = this.files;
    return redo.length > 0 || (asOf !== LATEST_TIMESTAMP && undo.length > 0);
  }

  /** The delta files that a snapshot may need. */
  deltasFor(asOf: bigint): Promise<readonly DeltaPart[]> {
    return asOf === LATEST_TIMESTAMP ? this.deltasOf("redo") : this.deltas();
  }

  /** All delta files in the order in which they are applied: UNDO files newest first, REDO files oldest first. */
  async deltas(): Promise<readonly DeltaPart[]> {
    return (await Promise.all([this.deltasOf("undo"), this.deltasOf("redo")])).flat();
  }

  /** The delta files of one kind, in the order in which they are applied. */
  deltasOf(kind: DeltaKind): Promise<readonly DeltaPart[]> {
    return this.once(kind, () => Promise.all(this.files[kind].map((source) => this.openDelta(kind, source))));
  }

  /** @throws {CFileError} as `openDeltaFile` */
  async openDelta(kind: DeltaKind, source: ByteSource): Promise<DeltaPart> {
    const { openDeltaFile } = await import("@cfile/deltafile/read");
    return { kind, reader: await openDeltaFile(source, this.options) };
  }

  async close(): Promise<void> {
    const { files } = this;
    const sources = [...files.columns.values(), files.bloom, files.adhocIndex, ...files.redo, ...files.undo];
    await Promise.all(sources.map((source) => source?.close?.()));
  }

  /** Opens a part once; a failure, such as a failed read, is retried by the next call. */
  private once<T>(part: number | "key" | "bloom" | DeltaKind, open: () => Promise<T>): Promise<T> {
    const known = this.opened.get(part) as Promise<T> | undefined;
    if (known !== undefined) {
      return known;
    }
    const opening = open();
    this.opened.set(part, opening);
    opening.catch(() => this.opened.delete(part));
    return opening;
  }

  private async openColumn(column: RowSetColumn): Promise<CFileReader> {
    const { id, name } = column;
    const source = this.files.columns.get(id);
    if (source === undefined) {
      const reason = `missing file of column ${JSON.stringify(name)}`;
      throw new CFileError("E_BLOCK_MISSING", reason, { field: `column ${id}` });
    }
    const file = await openCFile(source, { header: "later", ...this.options });
    checkColumn(file, column);
    return file;
  }

  private async openAdhocIndex(): Promise<CFileReader> {
    const source = this.files.adhocIndex;
    if (source === undefined) {
      const reason = "missing ad-hoc index (required by a key of several columns)";
      throw new CFileError("E_BLOCK_MISSING", reason, { field: "adhoc_index_block" });
    }
    const file = await openCFile(source, this.options);
    checkAdhocIndex(file);
    return file;
  }
}

export function wrongRowCount({ path, rowCount: actual }: CFileReader, expected: number): CFileError {
  return mismatch("row count differs from that of the key", expected, actual, { path, field: "num_values" });
}

/** @throws {CFileError} `E_CORRUPT` naming file and field */
function checkColumn(file: CFileReader, column: RowSetColumn): void {
  const { path } = file;
  const name = JSON.stringify(column.name);
  if (file.kind !== "column") {
    throw mismatch(`wrong kind of file for column ${name}`, "column", file.kind, { path, field: "footer" });
  }
  if (file.type !== column.type) {
    throw mismatch(`wrong type of column ${name}`, column.type, file.type, { path, field: "data_type" });
  }
  if (file.array !== column.array || file.nullable !== column.nullable) {
    const field = file.array !== column.array ? "is_type_array" : "is_type_nullable";
    throw mismatch(`wrong shape of column ${name}`, describe(column), describe(file), { path, field });
  }
}

function describe({ array, nullable }: { readonly array: boolean; readonly nullable: boolean }): string {
  return `${nullable ? "" : "not "}nullable${array ? ", array" : ""}`;
}

function checkAdhocIndex(file: CFileReader): void {
  const { path } = file;
  if (file.kind !== "column" || file.type !== "BINARY" || file.array || file.nullable) {
    const what = file.kind === "column" ? `${file.type}, ${describe(file)}` : `${file.kind} file`;
    const reason = `invalid ad-hoc index (expected BINARY, not nullable; found ${what})`;
    throw corrupt(reason, { path, field: "data_type", actual: file.type });
  }
  if (file.structure.footer.validx === undefined) {
    throw corrupt("ad-hoc index without value index", { path, field: "validx_info" });
  }
}
