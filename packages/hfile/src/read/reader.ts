/** Reads an HFile: lookups, scans and metadata, without reading the whole file. */
import { type CacheBudget, CFileError, equalBytes, utf8Bytes, type WorkOptions } from "@cfile/bytes";
import { type ByteSource, openWith, type ReadOptions, type SourceInput } from "@cfile/io";
import { DataBlocks } from "../blocks/data-blocks.js";
import type { CellBatch, HFileCell, PackedBytes } from "../cells/cell-batch.js";
import { hasRow, rowBytes } from "../cells/cell-search.js";
import { rowEndOf } from "../cells/key-order.js";
import { SortedRows } from "../cells/sorted-rows.js";
import { type BloomMetaKind, readBloomMeta } from "../file/bloom-meta.js";
import { FILE_INFO_KEYS, type FileInfo } from "../file/file-info.js";
import { type HFileStructure, readFileStructure, type StructureOptions } from "../file/file-structure.js";
import {
  HUDI_BLOOM_FILTER_BLOCK,
  type HudiBloomFilter,
  parseHudiBloomFilter,
} from "../file/hudi-bloom-filter.js";
import type { HFileTrailer } from "../file/trailer.js";
import { DataIndex, IndexCursor } from "../index/index-cursor.js";
import type { HFileReport } from "../verify/verify-hfile.js";
import { cachedRow } from "./cached-row.js";
import { findPacked, findRows, findValue, type PackedValues } from "./lookup.js";
import { type HFileScanOptions, type ScannedFile, scanCells } from "./scan.js";
import { type SeekResult, seekRow } from "./seek.js";

/** Options of {@link openHFile}. */
export interface HFileOpenOptions extends StructureOptions {
  /** Size of the cache of data blocks in bytes, or a budget that several files share. Default 32 MiB. */
  readonly cacheBytes?: number | CacheBudget | undefined;
  /** Size of the cache of index blocks in bytes, or a shared budget. Default 16 MiB. */
  readonly indexCacheBytes?: number | CacheBudget | undefined;
}

const MIB = 1024 * 1024;

/** A row as bytes, or as text, which is encoded as UTF-8. */
export type Row = Uint8Array | string;

/**
 * Opens a file: reads only its trailer and its load-on-open section.
 *
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`, `E_LIMIT` for damaged files, `E_UNSUPPORTED` for other
 *   versions, encrypted files and codecs that are not supported, `E_IO`, `E_NOT_FOUND` from the source
 *
 * @example
 * ```js
 * import { openHFile } from "@cfile/hfile";
 *
 * const file = await openHFile("fixtures/golden/hfile/hbase_2_6_1_4KB_NONE_tags.hfile");
 * for await (const { rowText, valueText } of file.entries({ limit: 2 })) {
 *   console.log(rowText, valueText);
 * }
 * await file.close();
 * ```
 *
 * ```text
 * row-000000003 zzzzzzzzzzzzzzzzzzzzzz
 * row-000000009 oooooooooooooooooooooooo
 * ```
 */
export function openHFile(input: SourceInput, options: HFileOpenOptions = {}): Promise<HFileReader> {
  return openWith(
    input,
    async (source) => new HFileReader(source, await readFileStructure(source, options), options),
  );
}

/**
 * An open file. Rows are compared as unsigned bytes. Cells are returned as stored: deletions and versions are for the
 * caller to interpret.
 */
export class HFileReader {
  readonly source: ByteSource;
  readonly structure: HFileStructure;
  /** Row of the last cell, from the file info; `undefined` in an empty file. */
  readonly lastRow: Uint8Array | undefined;
  private readonly file: ScannedFile;

  /** @internal Comes from {@link openHFile}. */
  constructor(source: ByteSource, structure: HFileStructure, options: HFileOpenOptions) {
    this.source = source;
    this.structure = structure;
    const lastKey = structure.fileInfo.get(FILE_INFO_KEYS.lastKey);
    this.lastRow =
      lastKey === undefined || lastKey.length < 2 ? undefined : lastKey.subarray(2, rowEndOf(lastKey));
    this.file = {
      structure,
      index: new DataIndex(structure, options.indexCacheBytes ?? 16 * MIB),
      blocks: new DataBlocks(structure, options.cacheBytes ?? 32 * MIB),
    };
  }

  get trailer(): HFileTrailer {
    return this.structure.trailer;
  }

  get fileInfo(): FileInfo {
    return this.structure.fileInfo;
  }

  /** Number of cells. */
  get entryCount(): number {
    return this.trailer.entryCount;
  }

  /** `"hudi"` for files of Hudi's own writer, whose minor version is 0; `"hbase"` for others. */
  get profile(): "hudi" | "hbase" {
    return this.trailer.minorVersion === 0 ? "hudi" : "hbase";
  }

  /** Names of the meta blocks, in index order. */
  get metaBlockNames(): readonly string[] {
    const { metaIndex } = this.structure;
    return Array.from({ length: metaIndex.length }, (_, i) => new TextDecoder().decode(metaIndex.key(i)));
  }

  /**
   * The body of a meta block; `undefined` when there is no meta block of that name.
   * @throws {CFileError} for damage; `E_IO` from the source
   */
  async metaBlock(name: string, options: ReadOptions = {}): Promise<Uint8Array | undefined> {
    const { metaIndex, loader } = this.structure;
    const key = utf8Bytes(name);
    for (let i = 0; i < metaIndex.length; i++) {
      if (equalBytes(metaIndex.key(i), key)) {
        return (await loader.load(metaIndex.location(i), ["meta"], options)).body;
      }
    }
    return undefined;
  }

  /**
   * Hudi's Bloom filter; `undefined` when the file has none.
   * @throws {CFileError} for damage; `E_IO` from the source
   */
  async hudiBloomFilter(options: ReadOptions = {}): Promise<HudiBloomFilter | undefined> {
    const block = await this.metaBlock(HUDI_BLOOM_FILTER_BLOCK, options);
    return block && parseHudiBloomFilter(block, this.fileInfo.text("bloomFilterTypeCode"));
  }

  /**
   * The value of the first cell with this row, a view into its block; `undefined` when no cell has it.
   * @throws {CFileError} for damage; `E_IO` from the source
   */
  async get(row: Row, options: ReadOptions = {}): Promise<Uint8Array | undefined> {
    return findValue(this.searched(), rowBytes(row), options);
  }

  /** All cells with this row, in file order. @throws {CFileError} for damage; `E_IO` from the source */
  async getAll(row: Row, options: ReadOptions = {}): Promise<HFileCell[]> {
    const bytes = rowBytes(row);
    const cells: HFileCell[] = [];
    // The next possible row is this one plus a zero byte.
    const to = new Uint8Array(bytes.length + 1);
    to.set(bytes);
    for await (const batch of scanCells(this.searched(), { ...options, from: bytes, to })) {
      for (let i = 0; i < batch.length && hasRow(batch, i, bytes); i++) {
        cells.push(batch.cell(i));
      }
    }
    return cells;
  }

  /**
   * The cells of a row, if all blocks that a search needs are cached: without a promise, for callers that get many rows one by one.
   *
   * @returns `undefined` if a block is not cached, or the row has cells in several blocks; `"absent"` if the file has no cells of the row
   */
  cachedRow(row: Row): CellBatch | "absent" | undefined {
    return cachedRow(this.searched(), rowBytes(row));
  }

  /**
   * The values of the first cells with these rows, in one forward pass over the file.
   * @param rows sorted by their bytes; rows may repeat
   * @throws {CFileError} `E_INVALID_ARGUMENT` when they are not sorted
   */
  async getMany(
    rows: readonly Row[] | PackedBytes,
    options: ReadOptions = {},
  ): Promise<(Uint8Array | undefined)[]> {
    return findRows(this.searched(), new SortedRows(rows), options);
  }

  /**
   * {@link getMany} with all values copied into one buffer: no object per row.
   * @throws {CFileError} `E_INVALID_ARGUMENT` when rows are not sorted; `E_LIMIT` when the values exceed 4 GiB
   */
  async getManyPacked(rows: readonly Row[] | PackedBytes, options: ReadOptions = {}): Promise<PackedValues> {
    return findPacked(this.searched(), new SortedRows(rows), options);
  }

  /**
   * The metadata of HBase's Bloom filter of keys, or of rows with deleted families; `undefined` when the file has none.
   * @throws {CFileError} for damage
   */
  bloomMeta(kind: BloomMetaKind): Uint8Array | undefined {
    return readBloomMeta(this.structure, kind);
  }

  /** The position of a row, or where it would be inserted. */
  seek(row: Row, options: ReadOptions = {}): Promise<SeekResult> {
    return seekRow(this.searched(), rowBytes(row), options);
  }

  /** Cells in file order, one batch per block, as positions in the block. Batches are never empty. */
  scan(options: HFileScanOptions = {}): AsyncGenerator<CellBatch, void, undefined> {
    const isBounded = options.from !== undefined || options.to !== undefined || options.prefix !== undefined;
    return scanCells(isBounded ? this.searched() : this.file, options);
  }

  /** Cells in file order, one object per cell. @throws {CFileError} for damage; `E_IO` from the source */
  async *entries(options: HFileScanOptions = {}): AsyncGenerator<HFileCell, void, undefined> {
    for await (const batch of this.scan(options)) {
      for (let i = 0; i < batch.length; i++) {
        yield batch.cell(i);
      }
    }
  }

  /** The first cell; `undefined` in an empty file. @throws {CFileError} for damage; `E_IO` from the source */
  async first(options: ReadOptions = {}): Promise<HFileCell | undefined> {
    const cursor = new IndexCursor(this.file.index, options);
    return (await cursor.toFirst()) ? (await this.file.blocks.at(cursor, options)).cell(0) : undefined;
  }

  /** The last cell; `undefined` in an empty file. @throws {CFileError} for damage; `E_IO` from the source */
  async last(options: ReadOptions = {}): Promise<HFileCell | undefined> {
    const cursor = new IndexCursor(this.file.index, options);
    const batch = (await cursor.toLast()) ? await this.file.blocks.at(cursor, options) : undefined;
    return batch?.cell(batch.length - 1);
  }

  /**
   * Checks the whole file: every block, checksum, order, index and count. `onProgress` counts bytes of the file.
   * @throws {CFileError} `E_IO` when the source fails; the signal's reason; damage is in the report
   */
  async verify(options: WorkOptions = {}): Promise<HFileReport> {
    const { verifyHFile } = await import("../verify/verify-hfile.js");
    return verifyHFile(this, options);
  }

  /** Closes the file and its source. */
  async close(): Promise<void> {
    await this.source.close?.();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @throws {CFileError} `E_UNSUPPORTED` when rows are not ordered by their bytes */
  private searched(): ScannedFile {
    if (!this.structure.bytewise) {
      const reason = "lookups are not supported: rows are in the order of HBase's meta table";
      const details = { path: this.source.name, field: "comparator", actual: this.trailer.comparator };
      throw new CFileError("E_UNSUPPORTED", reason, details);
    }
    return this.file;
  }
}
