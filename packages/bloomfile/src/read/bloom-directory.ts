/**
 * The value index of a Bloom file, read as a whole: for each block its key and where it stands
 * (docs/spec/bloomfile.md#5-when-a-block-is-cut, docs/spec/bloomfile.md#7-lookup and
 * docs/spec/bloomfile.md#9-limits-and-hostile-input). A block's key is where its keys begin, cut short; it need not be one of
 * them.
 */
import { type BlockLocation, compareBytes, compareRange, corrupt } from "@cfile/bytes";
import type { FileStructure, IndexEntryLayout } from "@cfile/format";
import type { CheckedKeys } from "../filter/key-batch.js";

export class BloomDirectory {
  /** Bytes and number of the index blocks. */
  readonly indexBlocks: number;
  readonly indexBytes: number;
  private readonly entries: readonly IndexEntryLayout[];

  /**
   * @param entries the entries of all leaves, in order
   * @throws CFileError `E_CORRUPT` unless the keys ascend and each entry leads to a block of its own inside the file
   */
  constructor(
    entries: readonly IndexEntryLayout[],
    indexBlocks: readonly BlockLocation[],
    structure: FileStructure,
  ) {
    this.entries = entries;
    this.indexBlocks = indexBlocks.length;
    this.indexBytes = indexBlocks.reduce((sum, { size }) => sum + size, 0);
    this.check(structure);
  }

  /** Number of blocks. */
  get length(): number {
    return this.entries.length;
  }

  /** All entries, in order. */
  get all(): readonly IndexEntryLayout[] {
    return this.entries;
  }

  /** @param index 0 to `length - 1` */
  entry(index: number): IndexEntryLayout {
    return this.entries[index] as IndexEntryLayout;
  }

  /**
   * The last block whose key is `bytes[start..end)` or before it; -1 when there is none.
   *
   * @param near where to look first
   */
  search(bytes: Uint8Array, start: number, end: number, near = -1): number {
    let found = -1;
    let after = this.entries.length;
    if (near >= 0 && near < after && this.isAtOrBefore(near, bytes, start, end)) {
      found = near;
      after = near + 1 < after && !this.isAtOrBefore(near + 1, bytes, start, end) ? near + 1 : after;
    }
    while (after - found > 1) {
      const middle = (found + after) >>> 1;
      if (this.isAtOrBefore(middle, bytes, start, end)) {
        found = middle;
      } else {
        after = middle;
      }
    }
    return found;
  }

  /** The first of keys `from` to `to`, which are in order, that lies behind a block; `to` when none does. */
  endOfBlock(index: number, keys: CheckedKeys, from: number, to: number): number {
    if (index + 1 >= this.entries.length) {
      return to;
    }
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isAtOrBefore(index + 1, keys.data, keys.start(middle), keys.end(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private isAtOrBefore(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    return compareRange(bytes, start, end, this.entry(index).key) >= 0;
  }

  private check({ path, headerRange, footerRange }: FileStructure): void {
    const seen = new Set<number>();
    let previous: Uint8Array | undefined;
    for (const { key, offset, size } of this.entries) {
      const block = { offset, size };
      if (offset < headerRange.size || offset + size > footerRange.offset) {
        throw corrupt("a block pointer leads out of the file's blocks", {
          path,
          block,
          field: "block pointer",
          actual: offset,
        });
      }
      if (seen.has(offset)) {
        throw corrupt("two entries of the index lead to this block", { path, block, field: "block pointer" });
      }
      if (previous !== undefined && compareBytes(previous, key) >= 0) {
        throw corrupt("the keys of the index do not ascend", { path, block, field: "key" });
      }
      seen.add(offset);
      previous = key;
    }
  }
}
