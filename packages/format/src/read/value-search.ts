/**
 * Searching by value (docs/spec/cfile.md#75-seeking): the value index leads to the block that can hold the value, a search
 * inside the block to the row.
 */
import { type BlockCache, type BlockLocation, CFileError, corrupt } from "@cfile/bytes";
import type { DataType, SeekTarget } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { encodeIntegerKey, sortedVector } from "@cfile/encodings/keys";
import type { IndexTree } from "@cfile/index-btree";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { CachedBlock } from "../blocks/cached-block.js";
import type { DataBlocks } from "../blocks/data-blocks.js";
import type { FileKind } from "../file/file-kind.js";
import type { FileStructure } from "../file/file-structure.js";
import type { BlockDirectory } from "../index/block-directory.js";
import { type CellTarget, cellTarget, nativeValue, type SearchValue } from "./cell-target.js";
import type { FoundRow } from "./reader-options.js";

/** The parts of a reader that a search needs. */
export interface SearchedFile {
  readonly path: string;
  readonly type: DataType;
  readonly validx: IndexTree;
  readonly directory: BlockDirectory;
  readonly cache: BlockCache<CachedBlock>;
  /** A block from the cache, or read. */
  readonly load: (block: BlockLocation, options: BlockReadOptions) => Promise<CachedBlock>;
}

/** What a reader tells about its column. */
export interface SearchableColumn {
  readonly path: string;
  readonly type: DataType;
  readonly array: boolean;
  readonly kind: FileKind;
  readonly nullable: boolean;
  readonly structure: FileStructure;
}

/** @throws CFileError `E_UNSUPPORTED` when the file cannot be searched by value */
export function openValueSearch(
  column: SearchableColumn,
  validx: IndexTree | undefined,
  directory: BlockDirectory,
  dataBlocks: DataBlocks,
): ValueSearch {
  const { path, type } = column;
  const reason = whyNotSearchable(column);
  if (validx === undefined || reason !== undefined) {
    throw new CFileError("E_UNSUPPORTED", `${reason}: it cannot be searched by value`, {
      path,
      field: "validx_info",
    });
  }
  return new ValueSearch({
    path,
    type,
    validx,
    directory,
    cache: dataBlocks.cache,
    load: (block, readOptions) => dataBlocks.load(block, readOptions),
  });
}

/** Why a file cannot be searched by value; `undefined` when it can. */
export function whyNotSearchable({
  array,
  kind,
  nullable,
  structure,
}: Omit<SearchableColumn, "path" | "type">): string | undefined {
  if (structure.footer.validx === undefined) {
    return "the file has no value index";
  }
  if (kind !== "column") {
    return `a ${kind} file is ordered by keys of its own`;
  }
  return nullable || array ? "the column has nulls or arrays" : undefined;
}

export class ValueSearch {
  private readonly file: SearchedFile;
  /** The key of an integer that is looked up in memory; strings are their own keys. */
  private readonly key: Uint8Array | undefined;

  constructor(file: SearchedFile) {
    const { isKey, physical, width } = DATA_TYPES[file.type];
    this.file = file;
    this.key = isKey && physical !== "BINARY" ? new Uint8Array(width) : undefined;
  }

  /** The first row whose value is at or after `value`; `undefined` when all are before it. */
  async find(value: SearchValue, options: BlockReadOptions): Promise<FoundRow | undefined> {
    return this.findInMemory(nativeValue(this.file.type, value)) ?? this.findInFile(value, options);
  }

  /** The row at once, when all blocks on the way to it are in memory and it is surely the first with its value. */
  private findInMemory(native: SeekTarget): FoundRow | undefined {
    const { cache, type, validx } = this.file;
    let { key } = this;
    if (native instanceof Uint8Array) {
      key = native;
    } else if (key !== undefined) {
      encodeIntegerKey(type, native, key);
    }
    const leaf = key && validx.leafInMemory(key)?.block;
    const position = key && leaf ? leaf.search(key) : -1;
    const block = leaf === undefined || position < 0 ? undefined : cache.get(leaf.blockOffset(position));
    if (block === undefined) {
      return undefined;
    }
    const found = block.seek(native, sortedVector);
    // Before the first row of a block there may be more of them; behind the last, it is up to the next block.
    return found.position < block.rows && (found.position > 0 || !found.exact || block.firstRow === 0)
      ? { row: block.firstRow + found.position, exact: found.exact }
      : undefined;
  }

  private async findInFile(value: SearchValue, options: BlockReadOptions): Promise<FoundRow | undefined> {
    const { load, type, validx } = this.file;
    const target = cellTarget(type, value);
    const cursor = (await validx.seekAtOrBefore(target.key, options)) ?? (await validx.first(options));
    if (cursor === undefined) {
      return undefined;
    }
    const block = await load(cursor.pointer, options);
    const found = block.seek(target.native, sortedVector);
    if (found.position < block.rows) {
      const row = block.firstRow + found.position;
      const first = found.exact && found.position === 0 ? await this.firstEqual(row, target, options) : row;
      return { row: first, exact: found.exact };
    }
    return (await cursor.next())
      ? { row: (await load(cursor.pointer, options)).firstRow, exact: false }
      : undefined;
  }

  /** Equal values may begin in a block before the one that the index leads to: the first of them. */
  private async firstEqual(row: number, target: CellTarget, options: BlockReadOptions): Promise<number> {
    const { directory, load, path } = this.file;
    let first = row;
    while (first > 0) {
      const cursor = await directory.seekRow(first - 1, options);
      if (cursor === undefined) {
        break;
      }
      const block = await load(cursor.pointer, options);
      const { position } = block.seek(target.native, sortedVector);
      if (position >= block.rows) {
        break;
      }
      if (block.firstRow + position >= first) {
        throw corrupt(`the index does not lead to row ${first - 1}`, {
          path,
          block: cursor.pointer,
          field: "ordinal",
        });
      }
      first = block.firstRow + position;
      if (position > 0) {
        break;
      }
    }
    return first;
  }
}
