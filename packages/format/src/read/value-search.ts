/**
 * Searches by value (docs/spec/cfile.md#75-seeking): the value index leads to the block that can hold the value, and a search
 * inside the block leads to the row.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { DATA_TYPES, type SeekPosition, type SeekTarget } from "@cfile/encodings";
import { encodeIntegerKey, sortedVector } from "@cfile/encodings/keys";
import type { IndexTree } from "@cfile/index-btree";
import type { CachedBlock } from "../blocks/cached-block.js";
import { type CellTarget, cellTarget, nativeValue, type SearchValue } from "./cell-target.js";
import type { OpenFile } from "./open-file.js";
import type { FindOptions, FoundRow } from "./reader-options.js";

/** @throws {CFileError} `E_UNSUPPORTED` when the file cannot be searched by value */
export function openValueSearch(file: OpenFile): ValueSearch {
  const { path } = file.structure;
  const reason = whyNotSearchable(file);
  if (file.validx === undefined || reason !== undefined) {
    const details = { path, field: "validx_info" };
    throw new CFileError("E_UNSUPPORTED", `cannot search by value: ${reason}`, details);
  }
  return new ValueSearch(file, file.validx);
}

/** Why a file cannot be searched by value; `undefined` when it can. */
export function whyNotSearchable({ kind, structure }: OpenFile): string | undefined {
  const { footer } = structure;
  if (footer.validx === undefined) {
    return "the file has no value index";
  }
  if (kind !== "column") {
    return `a ${kind} file is not ordered by value`;
  }
  return footer.nullable || footer.array ? "the column has nulls or arrays" : undefined;
}

export class ValueSearch {
  private readonly file: OpenFile;
  private readonly validx: IndexTree;
  /** Buffer for integer keys of searches in memory; strings are their own keys. */
  private readonly key: Uint8Array | undefined;

  constructor(file: OpenFile, validx: IndexTree) {
    const { isKey, physical, width } = DATA_TYPES[file.structure.footer.dataType];
    this.file = file;
    this.validx = validx;
    this.key = isKey && physical !== "BINARY" ? new Uint8Array(width) : undefined;
  }

  /** The first row whose value is at or after `value`; `undefined` when all are before it. */
  async find(value: SearchValue, options: FindOptions): Promise<FoundRow | undefined> {
    const type = this.file.structure.footer.dataType;
    return this.findInMemory(nativeValue(type, value), options) ?? this.findInFile(value, options);
  }

  /** Finds the row synchronously, if all blocks on the path to it are in memory and it is certainly the first with its value. */
  private findInMemory(native: SeekTarget, options: FindOptions): FoundRow | undefined {
    const { dataBlocks, structure } = this.file;
    let { key } = this;
    if (native instanceof Uint8Array) {
      key = native;
    } else if (key !== undefined) {
      encodeIntegerKey(structure.footer.dataType, native, key);
    }
    const block = key && dataBlocks.cache.get(this.validx.offsetInMemory(key));
    if (block === undefined) {
      return undefined;
    }
    const found = seek(block, native, options);
    // The previous block may end with the same value; a value after the last row is in the next block.
    return found.position < block.rows && (found.position > 0 || !found.exact || block.firstRow === 0)
      ? { row: block.firstRow + found.position, exact: found.exact }
      : undefined;
  }

  private async findInFile(value: SearchValue, options: FindOptions): Promise<FoundRow | undefined> {
    const { validx } = this;
    const { dataBlocks, structure } = this.file;
    const target = cellTarget(structure.footer.dataType, value);
    const cursor = (await validx.seekAtOrBefore(target.key, options)) ?? (await validx.first(options));
    if (cursor === undefined) {
      return undefined;
    }
    const block = await dataBlocks.load(cursor.pointer, options);
    const found = seek(block, target.native, options);
    if (found.position < block.rows) {
      const row = block.firstRow + found.position;
      const first = found.exact && found.position === 0 ? await this.firstEqual(row, target, options) : row;
      return { row: first, exact: found.exact };
    }
    return (await cursor.next())
      ? { row: (await dataBlocks.load(cursor.pointer, options)).firstRow, exact: false }
      : undefined;
  }

  /** The first of equal values, which may start in a block before the one that the index leads to. */
  private async firstEqual(row: number, target: CellTarget, options: FindOptions): Promise<number> {
    const { directory, dataBlocks, structure } = this.file;
    let first = row;
    while (first > 0) {
      const cursor = await directory.seekRow(first - 1, options);
      if (cursor === undefined) {
        throw this.file.corruptRow(first - 1);
      }
      const block = await dataBlocks.load(cursor.pointer, options);
      const { position } = seek(block, target.native, options);
      if (position >= block.rows) {
        break;
      }
      if (block.firstRow + position >= first) {
        const details = { path: structure.path, block: cursor.pointer, field: "ordinal" };
        throw corrupt(`index does not lead to row ${first - 1}`, details);
      }
      first = block.firstRow + position;
      if (position > 0) {
        break;
      }
    }
    return first;
  }
}

function seek(block: CachedBlock, target: SeekTarget, { keepDecoded = true }: FindOptions): SeekPosition {
  return block.seek(target, keepDecoded ? sortedVector : undefined);
}
