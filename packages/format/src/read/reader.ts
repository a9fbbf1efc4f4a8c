/** Reading a CFile: rows in batches, single rows, searches by value. */
import { BlockCache, type BlockLocation, DEFAULT_LIMITS, type Limits } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type {
  BinaryVector,
  CellOptions,
  CellValue,
  ColumnBatch,
  DataType,
  EncodingType,
} from "@cfile/encodings";
import { IndexTree } from "@cfile/index-btree";
import { type ByteSource, type OpenSourceOptions, openWith, type SourceInput } from "@cfile/io";
import { chooseDecoders } from "@cfile/kernels/decode";
import { BlockReader, type BlockReadOptions } from "../blocks/block-reader.js";
import type { CachedBlock } from "../blocks/cached-block.js";
import type { DataBlock, DataBlockOpener } from "../blocks/data-block.js";
import { DataBlocks } from "../blocks/data-blocks.js";
import { loadDataBlockOpener } from "../blocks/load-data-block-opener.js";
import { type FileKind, fileKindOf } from "../file/file-kind.js";
import { type FileStructure, readFileStructure } from "../file/file-structure.js";
import type { CFileLayout } from "../file/layout.js";
import { findMetadata, type MetadataPair } from "../file/metadata.js";
import { type BlockDirectory, ListDirectory, PositionalDirectory } from "../index/block-directory.js";
import { deltaRowEnd } from "../index/index-keys.js";
import type { PlacedBlock } from "../index/list-leaves.js";
import type { SelectedFile } from "../select/select-rows.js";
import type { VerifyOptions, VerifyReport } from "../verify/verify.js";
import type { SearchValue } from "./cell-target.js";
import { LinkedAbort } from "./linked-abort.js";
import type { FoundRow, OpenOptions, ScanOptions } from "./reader-options.js";
import { corruptRow, requireRow } from "./row-errors.js";
import { checkBatchRows, rowRangeOf } from "./row-range.js";
import { scanRows } from "./scan.js";
import type { ValueSearch } from "./value-search.js";

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/** `http`: headers, credentials, another `fetch`; `s3`: a client with the credentials. */
export interface OpenCFileOptions extends OpenOptions, OpenSourceOptions {}

/**
 * Opens a CFile for reading: a path, URL, Blob, Uint8Array, ArrayBuffer, `ByteSource` or hyparquet `AsyncBuffer`.
 * Only footer and header are read and checked; over a network only the footer, see `options.header`. A file that is replaced
 * while it is opened is opened once more.
 *
 * @throws {CFileError} `E_NOT_FOUND`, `E_IO`: the input cannot be read; `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`: it is
 *   not a valid CFile; `E_UNSUPPORTED`: a type, encoding or feature that is not supported; `E_LIMIT`: it claims more than
 *   `options.limits` allow
 *
 * @example
 * ```js
 * import { openCFile } from "cfile";
 *
 * const file = await openCFile("fixtures/golden/comp_lz4_string_dict.cfile");
 * console.log(file.type, file.encoding, file.rowCount);
 * console.log(await file.get(1));
 * await file.close();
 * ```
 *
 * ```text
 * STRING DICT_ENCODING 2000
 * constant
 * ```
 */
export function openCFile(
  input: SourceInput,
  { http, s3, ...options }: OpenCFileOptions = {},
): Promise<CFileReader> {
  return openWith(input, (source) => openFrom(source, options), { http, s3 });
}

async function openFrom(source: ByteSource, options: OpenOptions): Promise<CFileReader> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const kernels = chooseDecoders(options.kernels);
  const structure = await readFileStructure(source, {
    limits,
    kernels,
    codecs: options.codecs,
    encodings: options.encodings,
    verifyChecksums: options.verifyChecksums ?? true,
    header: options.header ?? (source.traffic === undefined ? "read" : "later"),
    signal: options.signal,
  });
  const { encoding, footer } = structure;
  const { array = false, dataType: type, nullable = false } = footer;
  const openContent = await loadDataBlockOpener({ type, encoding, nullable, array }, options.encodings);
  return new CFileReader(source, structure, limits, openContent, options);
}

/**
 * What reads a file. The code for searches, conditions, verifications and what only some files have is loaded when it is
 * needed: a page that scans a file does without it.
 */
export class CFileReader {
  readonly structure: FileStructure;
  /** What is read from; closed with the reader. */
  readonly source: ByteSource;
  private readonly blocks: BlockReader;
  private readonly dataBlocks: DataBlocks;
  private readonly posidx: IndexTree | undefined;
  private readonly validx: IndexTree | undefined;
  private readonly directory: BlockDirectory;
  private search: ValueSearch | undefined;
  private readRows: typeof import("./read-rows.js").readRows | undefined;

  /** @internal Comes from {@link openCFile}. */
  constructor(
    source: ByteSource,
    structure: FileStructure,
    limits: Limits,
    openContent: DataBlockOpener,
    { cacheBytes = DEFAULT_CACHE_BYTES, verifyChecksums = true }: OpenOptions,
  ) {
    this.source = source;
    this.structure = structure;
    this.blocks = new BlockReader(source, structure, limits, verifyChecksums);
    this.dataBlocks = new DataBlocks(this.blocks, new BlockCache(cacheBytes), openContent);
    const { posidx, validx } = structure.footer;
    this.posidx = posidx && this.indexTree(posidx, "posidx");
    this.validx = validx && this.indexTree(validx, "validx");
    this.directory = this.posidx
      ? new PositionalDirectory(this.posidx)
      : new ListDirectory(
          (options) => this.listDataBlocks(options),
          (block, options) => this.dataBlock(block, options),
        );
  }

  get path(): string {
    return this.structure.path;
  }

  get type(): DataType {
    return this.structure.footer.dataType;
  }

  get encoding(): EncodingType {
    return this.structure.encoding;
  }

  get compression(): CompressionType {
    return this.structure.footer.compression ?? "NO_COMPRESSION";
  }

  get nullable(): boolean {
    return this.structure.footer.nullable ?? false;
  }

  get array(): boolean {
    return this.structure.footer.array ?? false;
  }

  /** Whether the file is a column, or a delta or Bloom file, which only look like one. */
  get kind(): FileKind {
    return fileKindOf(this.structure.footer);
  }

  /** Rows, nulls included. */
  get rowCount(): number {
    return this.structure.footer.rowCount;
  }

  /** Reads the header, unless that was done; throws as `open` does. */
  async loadHeader(options: BlockReadOptions = {}): Promise<void> {
    await this.structure.head.load(this.source, options);
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` while the header was not read: see `loadHeader` */
  get headerMetadata(): readonly MetadataPair[] {
    return this.structure.header.metadata;
  }

  get footerMetadata(): readonly MetadataPair[] {
    return this.structure.footer.metadata;
  }

  /** The value of a metadata pair; header pairs win over footer pairs. Throws as `headerMetadata` does. */
  metadata(key: string): Uint8Array | undefined {
    return findMetadata(this.headerMetadata, this.footerMetadata, key);
  }

  /**
   * The rows in order, as column batches: all, or those that `rows` and `where` leave. Reads ahead of the consumer by one group of
   * blocks; stopping the iteration stops the reading.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` for what are no row numbers, and for conditions that do not fit the column
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
    return isWhole ? this.scanBlocks(options, undefined) : this.scanMatches(options);
  }

  private async *scanMatches(options: ScanOptions): AsyncGenerator<ColumnBatch, void, void> {
    const { selectRows } = await import("../select/select-rows.js");
    yield* selectRows(await this.searched(), options);
  }

  private async searched(): Promise<SelectedFile> {
    const { whyNotSearchable } = await import("./value-search.js");
    return {
      reader: this,
      directory: this.directory,
      isSearchable: whyNotSearchable(this) === undefined,
      scan: (options, isWanted) => this.scanBlocks(options, isWanted),
    };
  }

  /**
   * The rows among which all are that a scan with these options gives; of a file with a value index, those that it leaves.
   *
   * @internal
   */
  async candidateRows(
    options: Pick<ScanOptions, "rows" | "where" | "signal">,
  ): Promise<{ readonly from: number; readonly to: number }> {
    const { candidateRows } = await import("../select/select-rows.js");
    return candidateRows(await this.searched(), options);
  }

  private async *scanBlocks(
    options: ScanOptions,
    isWanted: ((block: DataBlock) => boolean) | undefined,
  ): AsyncGenerator<ColumnBatch, void, void> {
    const range = rowRangeOf(this.rowCount, options);
    const batchRows = checkBatchRows(options.batchRows);
    if (range.from >= range.to) {
      return;
    }
    // Reads of memory and of files are too short to be worth ending.
    const abort = this.blocks.isRemote ? new LinkedAbort(options.signal) : undefined;
    const signal = abort?.signal ?? options.signal;
    try {
      await this.dataBlocks.loadDictionary({ signal });
      const cursor = await this.directory.seekRow(range.from, { signal });
      if (cursor === undefined) {
        throw corruptRow(this.path, range.from);
      }
      const { arena } = options;
      const expand = options.expandDictionaries
        ? (await import("../blocks/expand-batches.js")).expandDictionaries
        : undefined;
      yield* scanRows({
        reader: this.blocks,
        cursor,
        open: (block, stored) => this.dataBlocks.open(block, stored, arena),
        arena,
        finish:
          expand && ((batch) => expand(batch, { kernels: this.structure.wrapping.kernels, memory: arena })),
        ...range,
        batchRows,
        readAhead: options.readAhead,
        isWanted,
        signal,
        onProgress: options.onProgress,
        onBlock: options.onBlock,
      });
    } finally {
      abort?.close();
    }
  }

  /**
   * All rows as JavaScript values: for small files and tests.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async toArray(options: ScanOptions & CellOptions = {}): Promise<CellValue[]> {
    const cells: CellValue[] = [];
    for await (const batch of this.scan(options)) {
      for (const cell of batch.toArray(options)) {
        cells.push(cell);
      }
    }
    return cells;
  }

  /**
   * One row.
   *
   * @throws CFileError `E_NOT_FOUND` when the file has no such row
   */
  async get(row: number, options: CellOptions & BlockReadOptions = {}): Promise<CellValue> {
    requireRow(this, row);
    const held = this.dataBlocks.cache.get(this.directory.offsetInMemory(row));
    if (held !== undefined && row >= held.firstRow && row < held.firstRow + held.rows) {
      return held.cell(row - held.firstRow, options);
    }
    const block = await this.blockWith(row, options);
    return block.cell(row - block.firstRow, options);
  }

  /**
   * Many rows, in the order of `rows`: each block is read and decoded once, and blocks that lie near each other by one read.
   *
   * @throws CFileError `E_NOT_FOUND` when the file has no such row
   */
  async getMany(rows: ArrayLike<number>, options: CellOptions & BlockReadOptions = {}): Promise<CellValue[]> {
    for (let i = 0; i < rows.length; i++) {
      requireRow(this, rows[i] as number);
    }
    this.readRows ??= (await import("./read-rows.js")).readRows;
    return this.readRows(rows, { blocks: this.dataBlocks, directory: this.directory }, options);
  }

  /**
   * The data block that holds a row, opened; a part of the reader's cache. For who reads a few rows here and there.
   *
   * @throws CFileError `E_NOT_FOUND` when the file has no such row
   */
  async dataBlockOf(row: number, options: BlockReadOptions = {}): Promise<DataBlock> {
    requireRow(this, row);
    return (await this.blockWith(row, options)).block;
  }

  /** The first row's value; `E_NOT_FOUND` for an empty file. */
  first(options: CellOptions & BlockReadOptions = {}): Promise<CellValue> {
    return this.get(0, options);
  }

  /** The last row's value; `E_NOT_FOUND` for an empty file. */
  last(options: CellOptions & BlockReadOptions = {}): Promise<CellValue> {
    return this.get(this.rowCount - 1, options);
  }

  /**
   * The first row whose value is at or after `value`, through the value index; `undefined` when all values are
   * before it. STRING and VARCHAR take text or bytes.
   *
   * @throws CFileError `E_UNSUPPORTED` without a value index, for a nullable or array column, a delta or Bloom file, or a
   *   type without keys;
   *   `E_INVALID_ARGUMENT` when `value` does not fit the type
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
  async find(value: SearchValue, options: BlockReadOptions = {}): Promise<FoundRow | undefined> {
    this.search ??= await this.openSearch();
    return this.search.find(value, options);
  }

  private async openSearch(): Promise<ValueSearch> {
    const { openValueSearch } = await import("./value-search.js");
    return openValueSearch(this, this.validx, this.directory, this.dataBlocks);
  }

  /**
   * Every index block, index entry and the dictionary block.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async layout(options: BlockReadOptions = {}): Promise<CFileLayout> {
    const { readLayout } = await import("../file/layout.js");
    return readLayout({ posidx: this.posidx, validx: this.validx, footer: this.structure.footer }, options);
  }

  /**
   * The data blocks in row order, from a positional index with their first rows.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async listDataBlocks(options: BlockReadOptions = {}): Promise<readonly PlacedBlock[]> {
    const { listDataBlocks } = await import("../index/list-data-blocks.js");
    const tree = this.posidx ?? this.validx;
    return listDataBlocks(this, tree, this.dataBlocks, options);
  }

  /**
   * The file's dictionary; `undefined` when its encoding has none.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async readDictionary(options: BlockReadOptions = {}): Promise<BinaryVector | undefined> {
    await this.dataBlocks.loadDictionary(options);
    return this.dataBlocks.dictionary;
  }

  /**
   * One data block, opened; a part of the reader's cache.
   *
   * @throws CFileError `E_IO` when the source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when the file is
   *   damaged
   */
  async dataBlock(block: BlockLocation, options: BlockReadOptions = {}): Promise<DataBlock> {
    return (await this.dataBlocks.load(block, options)).block;
  }

  /**
   * Checks the whole file and reports everything that is wrong with it; throws only when the source fails.
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
    return verifyFile(
      {
        structure: this.structure,
        blocks: this.blocks,
        openContent: this.dataBlocks.openContent,
        posidx: this.posidx,
        validx: this.validx,
        listDataBlocks: (readOptions) => this.listDataBlocks(readOptions),
      },
      options,
    );
  }

  /** Drops what is kept and closes the source. */
  async close(): Promise<void> {
    this.dataBlocks.cache.clear();
    await this.source.close?.();
  }

  /** Closes it at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private indexTree(root: BlockLocation, kind: "posidx" | "validx"): IndexTree {
    return new IndexTree({
      root,
      kind,
      limits: this.blocks.limits,
      orderedKeyEnd: this.kind === "delta" ? deltaRowEnd : undefined,
      load: (pointer, signal) => this.blocks.read(pointer, { signal }),
      loadMany: this.blocks.isRemote
        ? (pointers, signal) => this.blocks.readMany(pointers, { signal })
        : undefined,
    });
  }

  /** The block that the index leads to for a row that the file has, checked to hold it. */
  private async blockWith(row: number, options: BlockReadOptions): Promise<CachedBlock> {
    const cursor = await this.directory.seekRow(row, options);
    const pointer = cursor?.pointer;
    if (pointer === undefined) {
      throw corruptRow(this.path, row);
    }
    const block = await this.dataBlocks.load(pointer, options);
    const position = row - block.firstRow;
    if (position < 0 || position >= block.rows) {
      throw corruptRow(this.path, row, pointer);
    }
    return block;
  }
}
