/**
 * The parts of an open file that reader, searches, selections and checks share. Lazily loaded code gets them through this class
 * instead of importing them, which lets bundlers keep a page's initial code in one chunk.
 */
import { type BlockLocation, type CFileError, corrupt, DEFAULT_LIMITS, type Limits } from "@cfile/bytes";
import { IndexTree } from "@cfile/index-btree";
import type { ByteSource } from "@cfile/io";
import { BlockReader, type BlockReadOptions } from "../blocks/block-reader.js";
import type { CachedBlock } from "../blocks/cached-block.js";
import type { DataBlockOpener } from "../blocks/data-block.js";
import { DataBlocks } from "../blocks/data-blocks.js";
import { type FileKind, fileKindOf } from "../file/file-kind.js";
import type { FileStructure } from "../file/file-structure.js";
import {
  type BlockDirectory,
  ListDirectory,
  listCursor,
  PositionalDirectory,
} from "../index/block-directory.js";
import { deltaRowEnd } from "../index/index-keys.js";
import { BlockGroups, type BlockSequence } from "./read-ahead.js";
import type { OpenOptions, ScanOptions } from "./reader-options.js";
import { rowRangeOf } from "./row-range.js";

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

export class OpenFile {
  readonly source: ByteSource;
  readonly structure: FileStructure;
  readonly kind: FileKind;
  readonly blocks: BlockReader;
  readonly dataBlocks: DataBlocks;
  readonly posidx: IndexTree | undefined;
  readonly validx: IndexTree | undefined;
  readonly directory: BlockDirectory;

  /** Lists the data blocks; see `CFileReader.listDataBlocks`. */
  readonly listDataBlocks: (options: BlockReadOptions) => Promise<readonly BlockLocation[]>;

  constructor(
    source: ByteSource,
    structure: FileStructure,
    openContent: DataBlockOpener,
    options: OpenOptions,
    listDataBlocks: (options: BlockReadOptions) => Promise<readonly BlockLocation[]>,
  ) {
    const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.source = source;
    this.structure = structure;
    this.listDataBlocks = listDataBlocks;
    this.kind = fileKindOf(structure.footer);
    this.blocks = new BlockReader(source, structure, limits, options.verifyChecksums ?? true);
    this.dataBlocks = new DataBlocks(this.blocks, options.cacheBytes ?? DEFAULT_CACHE_BYTES, openContent);
    const { posidx, validx } = structure.footer;
    this.posidx = posidx && this.indexTree(posidx, "posidx");
    this.validx = validx && this.indexTree(validx, "validx");
    this.directory = this.posidx
      ? new PositionalDirectory(this.posidx)
      : new ListDirectory(listDataBlocks, (block, readOptions) => this.dataBlocks.load(block, readOptions));
  }

  /**
   * The block that holds an existing row.
   *
   * @throws {CFileError} `E_CORRUPT` when the index does not lead to the row; as reading the block
   */
  async blockOf(row: number, options: BlockReadOptions): Promise<CachedBlock> {
    const pointer = (await this.directory.seekRow(row, options))?.pointer;
    const block = pointer && (await this.dataBlocks.load(pointer, options));
    if (block === undefined || row < block.firstRow || row >= block.firstRow + block.rows) {
      throw this.corruptRow(row, pointer);
    }
    return block;
  }

  /** The error of an index that leads to no block, or to a `block` that does not hold the row. */
  corruptRow(row: number, block?: BlockLocation): CFileError {
    const { path } = this.structure;
    return corrupt(`index does not lead to row ${row}`, { path, block, field: "posidx_info", actual: row });
  }

  /** The rows of a scan. @throws {CFileError} `E_INVALID_ARGUMENT` for invalid bounds or limits */
  rowRange(options: Pick<ScanOptions, "rows" | "limit">): { readonly from: number; readonly to: number } {
    return rowRangeOf(this.structure.footer.rowCount, options);
  }

  /** Reads these blocks ahead; groups that cannot be read are returned without bytes. `undefined` if there are no blocks. */
  groupsOf(
    blocks: readonly BlockLocation[],
    options: Pick<BlockSequence, "arena" | "signal">,
  ): BlockGroups | undefined {
    const cursor = listCursor(blocks, 0);
    const to = Number.POSITIVE_INFINITY;
    return cursor && new BlockGroups({ ...options, reader: this.blocks, cursor, to, tolerant: true });
  }

  private indexTree(root: BlockLocation, kind: "posidx" | "validx"): IndexTree {
    const { blocks } = this;
    return new IndexTree({
      root,
      kind,
      limits: blocks.limits,
      orderedKeyEnd: this.kind === "delta" ? deltaRowEnd : undefined,
      load: (pointer, signal) => blocks.readIndex(pointer, { signal }),
      loadMany: blocks.isRemote ? (pointers, signal) => blocks.readMany(pointers, { signal }) : undefined,
    });
  }
}
