/**
 * The value index of a Bloom file, read completely: the key and location of each block
 * (docs/spec/bloomfile.md#5-when-a-block-is-cut, docs/spec/bloomfile.md#7-lookup and
 * docs/spec/bloomfile.md#9-limits-and-hostile-input). The key of a block separates it from the previous block; it need not be
 * one of the block's keys.
 */
import { compareBytes, compareRange, corrupt } from "@cfile/bytes";
import type { FileStructure, IndexEntryLayout, IndexLayout } from "@cfile/format";
import type { KeyRange } from "@cfile/kernels/rows";
import type { CheckedKeys } from "../filter/key-batch.js";

export class BloomDirectory {
  /** Number of index blocks and their total bytes. */
  readonly indexBlocks: number;
  readonly indexBytes: number;
  /** The entries of all leaves, in order. */
  readonly entries: readonly IndexEntryLayout[];

  /** @throws {CFileError} `E_CORRUPT` unless the keys ascend and each entry points to a different block inside the file */
  constructor(index: IndexLayout | undefined, structure: FileStructure) {
    const { entries = [], indexBlocks = [] } = index ?? {};
    this.entries = entries;
    this.indexBlocks = indexBlocks.length;
    this.indexBytes = indexBlocks.reduce((sum, { size }) => sum + size, 0);
    this.check(structure);
  }

  /**
   * The index of the last entry whose key is at or before `bytes[start..end)`; -1 if all keys are after it.
   *
   * @param near the index to try first
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

  /**
   * The first of the ascending keys `from` to `to` that lies after block `index`; `to` if none does.
   *
   * @param near the key to try first
   */
  endOfBlock(index: number, keys: CheckedKeys, { from, to }: KeyRange, near: number): number {
    const isAfter = (key: number): boolean =>
      this.isAtOrBefore(index + 1, keys.data, keys.start(key), keys.end(key));
    let low = from;
    let high = to;
    if (near > low && near < high) {
      if (isAfter(near)) {
        high = near;
        low = isAfter(near - 1) ? low : near;
      } else {
        low = near + 1;
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAfter(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private isAtOrBefore(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const entry = this.entries[index];
    return entry !== undefined && compareRange(bytes, start, end, entry.key) >= 0;
  }

  private check({ path, headerRange, footerRange }: FileStructure): void {
    const seen = new Set<number>();
    let previous: Uint8Array | undefined;
    for (const { key, offset, size } of this.entries) {
      const details = { path, block: { offset, size }, field: "block pointer" };
      if (offset < headerRange.size || offset + size > footerRange.offset) {
        throw corrupt("block pointer outside the file's blocks", { ...details, actual: offset });
      }
      if (seen.has(offset)) {
        throw corrupt("two index entries point to this block", details);
      }
      if (previous !== undefined && compareBytes(previous, key) >= 0) {
        throw corrupt("index keys do not ascend", { ...details, field: "key" });
      }
      seen.add(offset);
      previous = key;
    }
  }
}
