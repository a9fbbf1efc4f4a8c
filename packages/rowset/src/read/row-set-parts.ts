/**
 * The files of a row set, each opened when it is first needed and then checked against its role
 * (docs/spec/diskrowset.md#1-composition, docs/spec/diskrowset.md#2-writer-options-per-file and
 * docs/spec/diskrowset.md#10-consistency-checks):
 *
 * | role | must be |
 * | --- | --- |
 * | column | a column file of the schema's type, nulls and arrays as in the schema, as many rows as the key |
 * | ad-hoc index | BINARY without nulls, with a value index |
 * | Bloom file | what `@cfile/bloomfile` opens |
 * | REDO, UNDO | what `@cfile/deltafile` opens |
 *
 * The code for Bloom and delta files is loaded when the first of them is opened.
 */
import type { BloomFileReader } from "@cfile/bloomfile";
import { CacheBudget, CFileError, corrupt, type OnDamage, reportDamage } from "@cfile/bytes";
import type { DeltaKind } from "@cfile/deltafile";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { DeltaFileReader } from "@cfile/deltafile/read";
import type { OpenOptions } from "@cfile/format";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import { checkSchema, keyColumns } from "../schema/check-schema.js";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";
import type { RowSetFiles } from "./row-set-files.js";

/** As for every single file; `cacheBytes` are for all files of the row set together, 256 MiB unless told otherwise. */
export interface RowSetOptions extends OpenOptions {
  /**
   * Called with what is wrong with the Bloom file; look-ups then go on without it, as Kudu does. Without it, damage is
   * thrown.
   */
  readonly onDamage?: OnDamage | undefined;
  /**
   * Whether the statistics of delta files are believed, so that files without changes that matter are not read. Default
   * `true`, as in Kudu.
   */
  readonly trustStatistics?: boolean | undefined;
}

/** A delta file, which is opened, and its role. */
export interface DeltaPart {
  readonly kind: DeltaKind;
  readonly reader: DeltaFileReader;
}

const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;

/** The budget that all files share; a number makes a new one. */
export function cacheBudget({ cacheBytes = DEFAULT_CACHE_BYTES }: RowSetOptions): CacheBudget {
  return typeof cacheBytes === "number" ? new CacheBudget(cacheBytes) : cacheBytes;
}

export class RowSetParts {
  readonly files: RowSetFiles;
  readonly schema: RowSetSchema;
  readonly options: RowSetOptions;
  readonly keyColumns: readonly RowSetColumn[];
  private readonly columns = new Map<number, Promise<CFileReader>>();
  private keyFilePromise: Promise<CFileReader> | undefined;
  private bloomPromise: Promise<BloomFileReader> | undefined;
  private readonly deltasOfKind = new Map<DeltaKind, Promise<readonly DeltaPart[]>>();

  constructor(files: RowSetFiles, schema: RowSetSchema, options: RowSetOptions) {
    checkSchema(schema);
    this.files = files;
    this.schema = schema;
    this.options = { ...options, cacheBytes: cacheBudget(options) };
    this.keyColumns = keyColumns(schema);
  }

  /** Whether the row set has base data of the column: of one that came later it has none. It has all those of the key. */
  hasColumn({ id, isKey }: RowSetColumn): boolean {
    return isKey || this.files.columns.has(id);
  }

  /**
   * Base data of a column that the row set has.
   *
   * @throws CFileError `E_CORRUPT` when the file is no such column, and as `openCFile`
   */
  column(column: RowSetColumn): Promise<CFileReader> {
    return remember(this.columns, column.id, async () => {
      const file = await this.openColumn(column);
      if (this.keyColumns.length > 1 || column.isKey === false) {
        await this.checkRowCount(file);
      }
      return file;
    });
  }

  /** The file that rows are found with by key: the ad-hoc index, or the only key column. */
  keyFile(): Promise<CFileReader> {
    this.keyFilePromise ??= forgetFailure(
      this.keyColumns.length > 1
        ? this.openAdhocIndex()
        : this.openColumn(this.keyColumns[0] as RowSetColumn),
      () => {
        this.keyFilePromise = undefined;
      },
    );
    return this.keyFilePromise;
  }

  /** The Bloom file; `undefined` when the row set has none, or when it is damaged and somebody listens. */
  async bloom(): Promise<BloomFileReader | undefined> {
    const source = this.files.bloom;
    if (source === undefined) {
      return undefined;
    }
    this.bloomPromise ??= forgetFailure(this.openBloom(source), () => {
      this.bloomPromise = undefined;
    });
    try {
      return await this.bloomPromise;
    } catch (error) {
      reportDamage(error, this.options.onDamage);
      return undefined;
    }
  }

  /**
   * Whether there are files whose changes a state at that time may need. The latest is what the REDO files make of the base
   * data: UNDO files, mostly the larger ones, are not even opened.
   */
  hasDeltas(asOf: bigint): boolean {
    const { redo, undo } = this.files;
    return redo.length > 0 || (asOf !== LATEST_TIMESTAMP && undo.length > 0);
  }

  /** Those files. */
  deltasFor(asOf: bigint): Promise<readonly DeltaPart[]> {
    return asOf === LATEST_TIMESTAMP ? this.deltasOf("redo") : this.deltas();
  }

  /** All delta files in the order in which they are applied: UNDO files newest first, REDO files oldest first. */
  async deltas(): Promise<readonly DeltaPart[]> {
    const [undo, redo] = await Promise.all([this.deltasOf("undo"), this.deltasOf("redo")]);
    return [...undo, ...redo];
  }

  /** The delta files of one kind, in the order in which they are applied. */
  deltasOf(kind: DeltaKind): Promise<readonly DeltaPart[]> {
    return remember(this.deltasOfKind, kind, () =>
      Promise.all(this.files[kind].map((source) => this.openDelta(kind, source))),
    );
  }

  async close(): Promise<void> {
    const { files } = this;
    const sources = [...files.columns.values(), files.bloom, files.adhocIndex, ...files.redo, ...files.undo];
    await Promise.all(sources.map((source) => source?.close?.()));
  }

  /** @throws CFileError as `openDeltaFile` */
  async openDelta(kind: DeltaKind, source: ByteSource): Promise<DeltaPart> {
    const { openDeltaFile } = await import("@cfile/deltafile/read");
    return { kind, reader: await openDeltaFile(source, this.options) };
  }

  private async openBloom(source: ByteSource): Promise<BloomFileReader> {
    const { openBloomFile } = await import("@cfile/bloomfile");
    return openBloomFile(source, this.options);
  }

  private async openColumn(column: RowSetColumn): Promise<CFileReader> {
    const source = this.files.columns.get(column.id);
    if (source === undefined) {
      throw new CFileError(
        "E_BLOCK_MISSING",
        `the row set has no file of column ${JSON.stringify(column.name)}`,
        {
          field: `column ${column.id}`,
        },
      );
    }
    const file = await openCFile(source, this.options);
    checkColumnShape(file, column);
    return file;
  }

  private async openAdhocIndex(): Promise<CFileReader> {
    const source = this.files.adhocIndex;
    if (source === undefined) {
      throw new CFileError(
        "E_BLOCK_MISSING",
        "the row set has no ad-hoc index, which its key of several columns needs",
        {
          field: "adhoc_index_block",
        },
      );
    }
    const file = await openCFile(source, this.options);
    checkIndexShape(file);
    return file;
  }

  private async checkRowCount(file: CFileReader): Promise<void> {
    const key = await this.keyFile();
    if (file.rowCount !== key.rowCount) {
      throw corrupt(`${file.rowCount} rows, the key has ${key.rowCount}`, {
        path: file.path,
        field: "num_values",
        expected: key.rowCount,
        actual: file.rowCount,
      });
    }
  }
}

/** @throws CFileError `E_CORRUPT` naming file and field */
function checkColumnShape(file: CFileReader, column: RowSetColumn): void {
  const { path } = file;
  const name = JSON.stringify(column.name);
  if (file.kind !== "column") {
    throw corrupt(`a ${file.kind} file in the place of column ${name}`, { path, field: "footer" });
  }
  if (file.type !== column.type) {
    throw corrupt(`column ${name} is of type ${column.type}, the file of type ${file.type}`, {
      path,
      field: "data_type",
      expected: column.type,
      actual: file.type,
    });
  }
  if (file.array !== column.array || file.nullable !== column.nullable) {
    const field = file.array !== column.array ? "is_type_array" : "is_type_nullable";
    throw corrupt(`column ${name}: the file is ${describe(file)}, the schema says ${describe(column)}`, {
      path,
      field,
      expected: describe(column),
      actual: describe(file),
    });
  }
}

function describe({ array, nullable }: { readonly array: boolean; readonly nullable: boolean }): string {
  return `${nullable ? "" : "not "}nullable${array ? ", of arrays" : ""}`;
}

function checkIndexShape(file: CFileReader): void {
  const { path } = file;
  if (file.kind !== "column" || file.type !== "BINARY" || file.array || file.nullable) {
    const what = file.kind === "column" ? `${describe(file)} ${file.type} column` : `${file.kind} file`;
    throw corrupt(`a ${what} in the place of the ad-hoc index`, {
      path,
      field: "data_type",
      actual: file.type,
    });
  }
  if (file.structure.footer.validx === undefined) {
    throw corrupt("an ad-hoc index without a value index", { path, field: "validx_info" });
  }
}

/** Opens once; a failure, a failed read say, is tried again the next time. */
function remember<K, V>(known: Map<K, Promise<V>>, key: K, open: () => Promise<V>): Promise<V> {
  const held = known.get(key);
  if (held !== undefined) {
    return held;
  }
  const opening = forgetFailure(open(), () => known.delete(key));
  known.set(key, opening);
  return opening;
}

function forgetFailure<T>(opening: Promise<T>, forget: () => void): Promise<T> {
  opening.catch(forget);
  return opening;
}
