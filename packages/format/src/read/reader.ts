/** Reads a CFile: rows in batches, single rows, searches by value. */
import type { BlockLocation } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type {
  BinaryVector,
  CellOptions,
  CellValue,
  ColumnBatch,
  DataType,
  EncodingType,
} from "@cfile/encodings";
import type { ByteSource } from "@cfile/io";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlock, DataBlockOpener } from "../blocks/data-block.js";
import type { FileKind } from "../file/file-kind.js";
import type { FileStructure } from "../file/file-structure.js";
import type { CFileLayout } from "../file/layout.js";
import { findMetadata, type MetadataPair } from "../file/metadata.js";
import type { PlacedBlock } from "../index/list-data-blocks.js";
import type { SelectedFile } from "../select/select-rows.js";
import type { VerifyOptions, VerifyReport } from "../verify/verify.js";
import type { SearchValue } from "./cell-target.js";
import { OpenFile } from "./open-file.js";
import type { FindOptions, FoundRow, OpenOptions, ScanOptions } from "./reader-options.js";
import { requireRow } from "./row-range.js";
import { scanRows } from "./scan.js";
import type { ValueSearch } from "./value-search.js";

/**
 * Reads a file. The code for searches, conditions, verification and rare kinds of files is lazily loaded, so a page that only
 * scans files does not load it.
 */
export class CFileReader {
  readonly structure: FileStructure;
  /** Source of the bytes; closed with the reader. */
  readonly source: ByteSource;
  readonly path: string;
  readonly type: DataType;
  readonly encoding: EncodingType;
  readonly compression: CompressionType;
  readonly nullable: boolean;
  readonly array: boolean;
  /** Whether the file is a column, or a delta or Bloom file in the same container. */
  readonly kind: FileKind;
  /** Rows, nulls included. */
  readonly rowCount: number;
  private readonly file: OpenFile;
  private search: ValueSearch | undefined;
  private readRows: typeof import("./read-rows.js").readRows | undefined;

  /** @internal Use {@link openCFile}. */
  constructor(
    source: ByteSource,
    structure: FileStructure,
    openContent: DataBlockOpener,
    options: OpenOptions,
  ) {
    const { footer } = structure;
    const list = (readOptions: BlockReadOptions) => this.listDataBlocks(readOptions);
    this.file = new OpenFile(source, structure, openContent, options, list);
    this.source = source;
    this.structure = structure;
    this.path = structure.path;
    this.type = footer.dataType;
    this.encoding = structure.encoding;
    this.compression = footer.compression ?? "NO_COMPRESSION";
    this.nullable = footer.nullable ?? false;
    this.array = footer.array ?? false;
    this.kind = this.file.kind;
    this.rowCount = footer.rowCount;
  }

  /** Reads the header, unless it has been read already. @throws {CFileError} as `openCFile` */
  async loadHeader(options: BlockReadOptions = {}): Promise<void> {
    await this.structure.head.load(this.source, options);
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` until the header is read: see `loadHeader` */
  get headerMetadata(): readonly MetadataPair[] {
    return this.structure.header.metadata;
  }

  get footerMetadata(): readonly MetadataPair[] {
    return this.structure.footer.metadata;
  }

  /** The value of a metadata pair; header pairs take precedence over footer pairs. Throws as `headerMetadata`. */
  metadata(key: string): Uint8Array | undefined {
    return findMetadata([...this.headerMetadata, ...this.footerMetadata], key);
  }

  /**
   * The rows in order, in column batches: all rows, or those that `rows` and `where` select. Reads ahead of the consumer;
   * ending the iteration stops reading.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for invalid options or conditions that do not fit the column; `E_IO` when the
   *   source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is damaged
   *
   * @example
   * ```js
   * import { openCFile } from "cfile";
   *
   * const file = await openCFile("fixtures/golden/large_int32_bshuf.cfile");
   * let sum = 0;
   * for await (const batch of file.scan({ rows: { from: 1000, to: 2000 } })) {
   *   sum += batch.values.reduce((total, value) => total + value, 0);
   * }
   * console.log(sum);
   * await file.close();
   * ```
   *
   * ```text
   * 496506366
   * ```
   */
  scan(options: ScanOptions = {}): AsyncGenerator<ColumnBatch, void, void> {
    const { where } = options;
    const isWhole = where === undefined || ("length" in where && where.length === 0);
    return isWhole ? scanRows(this.file, options) : this.scanMatches(options);
  }

  private async *scanMatches(options: ScanOptions): AsyncGenerator<ColumnBatch, void, void> {
    const { selectRows } = await import("../select/select-rows.js");
    yield* selectRows(await this.selected(), options);
  }

  private async selected(): Promise<SelectedFile> {
    const { whyNotSearchable } = await import("./value-search.js");
    const isSearchable = whyNotSearchable(this.file) === undefined;
    const find = (value: SearchValue, options: BlockReadOptions) => this.find(value, options);
    return { file: this.file, scan: scanRows, find: isSearchable ? find : undefined };
  }

  /**
   * A range that includes all rows of a scan with these options, narrowed down by the value index.
   *
   * @internal
   */
  async candidateRows(
    options: Pick<ScanOptions, "rows" | "where" | "signal">,
  ): Promise<{ readonly from: number; readonly to: number }> {
    const { candidateRows } = await import("../select/select-rows.js");
    return candidateRows(await this.selected(), options);
  }

  /** All rows as JavaScript values, for small files and tests. @throws {CFileError} as {@link scan} */
  async toArray(options: ScanOptions & CellOptions = {}): Promise<CellValue[]> {
    const parts: CellValue[][] = [];
    let count = 0;
    for await (const batch of this.scan(options)) {
      parts.push(batch.toArray(options));
      count += batch.length;
    }
    const cells = new Array<CellValue>(count);
    let at = 0;
    for (const part of parts) {
      for (const cell of part) {
        cells[at++] = cell;
      }
    }
    return cells;
  }

  /**
   * One row as a JavaScript value.
   *
   * @throws {CFileError} `E_NOT_FOUND` when the file has no such row; `E_IO`, `E_CORRUPT`, `E_CHECKSUM`, `E_TRUNCATED` as
   *   {@link scan}
   */
  async get(row: number, options: CellOptions & BlockReadOptions = {}): Promise<CellValue> {
    requireRow(this, row);
    const held = this.file.dataBlocks.cache.get(this.file.directory.offsetInMemory(row));
    if (held !== undefined && row >= held.firstRow && row < held.firstRow + held.rows) {
      return held.cell(row - held.firstRow, options);
    }
    const block = await this.file.blockOf(row, options);
    return block.cell(row - block.firstRow, options);
  }

  /**
   * Many rows, in the order of `rows`. Each block is read and decoded once; neighboring blocks are fetched together.
   *
   * @throws {CFileError} as {@link get}
   */
  async getMany(rows: ArrayLike<number>, options: CellOptions & BlockReadOptions = {}): Promise<CellValue[]> {
    for (let i = 0; i < rows.length; i++) {
      requireRow(this, rows[i] as number);
    }
    this.readRows ??= (await import("./read-rows.js")).readRows;
    return this.readRows(rows, this.file, options);
  }

  /**
   * The opened data block that holds a row, from the reader's cache; for callers that read scattered rows.
   *
   * @throws {CFileError} as {@link get}
   */
  async dataBlockOf(row: number, options: BlockReadOptions = {}): Promise<DataBlock> {
    requireRow(this, row);
    return (await this.file.blockOf(row, options)).block;
  }

  /** The first row's value. @throws {CFileError} as {@link get}: `E_NOT_FOUND` for an empty file */
  first(options: CellOptions & BlockReadOptions = {}): Promise<CellValue> {
    return this.get(0, options);
  }

  /** The last row's value. @throws {CFileError} as {@link get}: `E_NOT_FOUND` for an empty file */
  last(options: CellOptions & BlockReadOptions = {}): Promise<CellValue> {
    return this.get(this.rowCount - 1, options);
  }

  /**
   * The first row whose value is at or after `value`, found with the value index; `undefined` if all values are before
   * it. STRING and VARCHAR take text or bytes.
   *
   * @throws {CFileError} `E_UNSUPPORTED` without a value index, for nullable or array columns, delta or Bloom files, and types
   *   without keys; `E_INVALID_ARGUMENT` when `value` does not fit the type; else as {@link get}
   *
   * @example
   * ```js
   * import { openCFile } from "cfile";
   *
   * const file = await openCFile("fixtures/golden/large_string_prefix_validx.cfile");
   * const found = await file.find("row0000001000x");
   * console.log(found, await file.get(found.row));
   * await file.close();
   * ```
   *
   * ```text
   * { row: 143, exact: false } row0000001001
   * ```
   */
  async find(value: SearchValue, options: FindOptions = {}): Promise<FoundRow | undefined> {
    this.search ??= (await import("./value-search.js")).openValueSearch(this.file);
    return this.search.find(value, options);
  }

  /**
   * All index blocks and index entries, and the dictionary block.
   *
   * @throws {CFileError} `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is damaged
   */
  async layout(options: BlockReadOptions = {}): Promise<CFileLayout> {
    const { readLayout } = await import("../file/layout.js");
    return readLayout(this.file, this.structure.footer.dictionary, options);
  }

  /** The data blocks in row order, with their first rows if there is a positional index. Throws as {@link layout}. */
  async listDataBlocks(options: BlockReadOptions = {}): Promise<readonly PlacedBlock[]> {
    const { listDataBlocks } = await import("../index/list-data-blocks.js");
    return listDataBlocks(this.file, options);
  }

  /** The file's dictionary; `undefined` for other encodings. Throws as {@link layout}. */
  readDictionary(options: BlockReadOptions = {}): Promise<BinaryVector | undefined> {
    return this.file.dataBlocks.loadDictionary(options);
  }

  /** One opened data block, from the reader's cache. Throws as {@link layout}. */
  async dataBlock(block: BlockLocation, options: BlockReadOptions = {}): Promise<DataBlock> {
    return (await this.file.dataBlocks.load(block, options)).block;
  }

  /**
   * Checks the whole file and reports all problems.
   *
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`: only when the source fails
   *
   * @example
   * ```js
   * import { readFile } from "node:fs/promises";
   * import { openCFile } from "cfile";
   *
   * const bytes = new Uint8Array(await readFile("fixtures/golden/large_int32_bshuf.cfile"));
   * bytes[1000] ^= 1;
   * const file = await openCFile(bytes);
   * const { ok, problems } = await file.verify();
   * console.log(ok, problems[0].code, problems[0].block);
   * ```
   *
   * ```text
   * false E_CHECKSUM { offset: 16, size: 77168 }
   * ```
   */
  async verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    await this.loadHeader(options);
    const { verifyFile } = await import("../verify/verify.js");
    return verifyFile(this.file, options);
  }

  /** Drops cached blocks and closes the source. */
  async close(): Promise<void> {
    this.file.dataBlocks.cache.clear();
    await this.source.close?.();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
