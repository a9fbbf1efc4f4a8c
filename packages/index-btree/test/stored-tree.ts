/** Valid and malformed index trees in memory, and the list of blocks read from them. */
import type { BlockLocation } from "@cfile/bytes";
import { IndexTree, type IndexTreeOptions } from "../src/index.js";
import { IndexBlockBuilder, IndexTreeBuilder } from "../src/write.js";

export class BlockStore {
  private readonly blocks = new Map<number, Uint8Array>();
  private end = 16;
  /** Offsets of the blocks that were read. */
  readonly loads: number[] = [];

  /** Stores a block after all others, or at `offset`. */
  put(bytes: Uint8Array, offset = this.end): BlockLocation {
    this.blocks.set(offset, bytes);
    this.end = Math.max(this.end, offset + bytes.length);
    return { offset, size: bytes.length };
  }

  readonly load = (pointer: BlockLocation): Uint8Array => {
    this.loads.push(pointer.offset);
    return this.blocks.get(pointer.offset)?.subarray(0, pointer.size) ?? new Uint8Array(0);
  };

  /** Stores a leaf or internal block with these entries. */
  putBlock(
    isLeaf: boolean,
    entries: readonly (readonly [key: Uint8Array, pointer: BlockLocation])[],
    offset?: number,
  ): BlockLocation {
    const builder = new IndexBlockBuilder();
    for (const [key, pointer] of entries) {
      builder.add(key, pointer);
    }
    return this.put(builder.finish(isLeaf), offset);
  }

  tree(root: BlockLocation, options: Partial<IndexTreeOptions> = {}): IndexTree {
    return new IndexTree({ root, load: this.load, kind: "validx", ...options });
  }
}

/** The location of data block number `index` in the entries of a tree. */
export const dataBlock = (index: number): BlockLocation => ({ offset: 1_000_000 + 100 * index, size: 100 });

/** A tree with these keys and blocks of about `indexBlockSize` bytes. */
export function storedTree(keys: readonly Uint8Array[], indexBlockSize: number) {
  const store = new BlockStore();
  const builder = new IndexTreeBuilder({ indexBlockSize, writeBlock: (bytes) => store.put(bytes) });
  for (const [index, key] of keys.entries()) {
    builder.append(key, dataBlock(index));
  }
  return { store, root: builder.finish() };
}
