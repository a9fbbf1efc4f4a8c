/**
 * The data blocks of a delta file: found through the value index (docs/spec/deltafile.md#8-finding-the-first-delta-of-a-row),
 * decoded, cached.
 */
import { BlockCache, type BlockLocation, mismatch, withErrorContext } from "@cfile/bytes";
import type { BlockReadOptions } from "@cfile/format";
import type { IndexCursor } from "@cfile/index-btree";
import { encodeRowKey, readDeltaRow } from "../changes/delta-key.js";
import { type DeltaBlock, decodeDeltaBlock } from "./delta-block.js";
import type { DeltaFile } from "./delta-file.js";

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

export class DeltaBlocks {
  readonly file: DeltaFile;
  private readonly cache: BlockCache<DeltaBlock>;
  private readonly rowWords = new Uint32Array(2);

  constructor(file: DeltaFile) {
    this.file = file;
    this.cache = new BlockCache(file.options.cacheBytes ?? DEFAULT_CACHE_BYTES);
  }

  /**
   * The index entry of the first block that may hold entries of `row` or a later row: the last one whose key is before all
   * keys of the row, else the first one. `undefined` in a file without entries.
   */
  async seek(row: number, options: BlockReadOptions): Promise<IndexCursor | undefined> {
    const { validx } = this.file;
    return row === 0
      ? validx.first(options)
      : ((await validx.seekAtOrBefore(encodeRowKey(row), options)) ?? validx.first(options));
  }

  /** The row in an index key: that of the block's first entry. */
  rowOf(key: Uint8Array): number {
    const { path } = this.file.structure;
    withErrorContext({ path }, () => readDeltaRow(key, 0, key.length, this.rowWords));
    return this.rowWords[0] as number;
  }

  cached(pointer: BlockLocation): DeltaBlock | undefined {
    return this.cache.get(pointer.offset);
  }

  async load(pointer: BlockLocation, key: Uint8Array, options: BlockReadOptions): Promise<DeltaBlock> {
    return (
      this.cache.get(pointer.offset) ??
      this.open(pointer, key, await this.file.blocks.readStored(pointer, options))
    );
  }

  /** Decodes a block from its stored bytes and caches it. */
  open(pointer: BlockLocation, key: Uint8Array, stored: Uint8Array): DeltaBlock {
    const { blocks, structure, rowKernels } = this.file;
    const bytes = blocks.unwrap(pointer, stored);
    const block = withErrorContext({ path: structure.path, block: pointer }, () =>
      decodeDeltaBlock(bytes, key, structure.wrapping.kernels, rowKernels),
    );
    this.cache.set(pointer.offset, block);
    return block;
  }

  /**
   * Checks that `next` continues where `block` ends, or is the first block of the file if `block` is `undefined`.
   *
   * @throws {CFileError} `E_CORRUPT`
   */
  checkContinuity(block: DeltaBlock | undefined, next: DeltaBlock, location: BlockLocation): void {
    const expected = block === undefined ? 0 : block.ordinal + block.batch.length;
    const details = { path: this.file.structure.path, block: location };
    if (next.ordinal !== expected) {
      throw mismatch("wrong first entry of the block", expected, next.ordinal, {
        ...details,
        field: "ordinal",
      });
    }
    const last = block?.batch.rows[block.batch.length - 1] ?? 0;
    const first = next.batch.rows[0] as number;
    if (first < last) {
      throw mismatch("first row precedes the block before", `>= ${last}`, first, {
        ...details,
        field: "row",
      });
    }
  }

  clear(): void {
    this.cache.clear();
  }
}
