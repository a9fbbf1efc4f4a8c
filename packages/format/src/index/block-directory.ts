/**
 * The data blocks in row order: from the positional index; without one, from the value index, whose leaves are in the same
 * order; without any index, by walking the file.
 */
import type { BlockLocation } from "@cfile/bytes";
import type { IndexCursor, IndexTree } from "@cfile/index-btree";
import { decodePositionalKey, encodePositionalKey, POSITIONAL_KEY_LENGTH } from "@cfile/index-btree";
import type { BlockReadOptions } from "../blocks/block-reader.js";

/** A position in the data blocks; `next` moves to the next block in row order. */
export interface BlockCursor {
  readonly pointer: BlockLocation;
  /** The block's first row, if there is a positional index. */
  readonly firstRow?: number;
  next(): Promise<boolean>;
}

export interface BlockDirectory {
  /** File offset of the block that holds an existing row, if the index path to it is in memory; else -1. */
  offsetInMemory(row: number): number;
  /** The block that holds `row`, if the file has that row. */
  seekRow(row: number, options: BlockReadOptions): Promise<BlockCursor | undefined>;
  first(options: BlockReadOptions): Promise<BlockCursor | undefined>;
}

export class PositionalDirectory implements BlockDirectory {
  private readonly tree: IndexTree;
  private readonly key = new Uint8Array(POSITIONAL_KEY_LENGTH);

  constructor(tree: IndexTree) {
    this.tree = tree;
  }

  offsetInMemory(row: number): number {
    const { key } = this;
    key[0] = row >>> 24;
    key[1] = row >>> 16;
    key[2] = row >>> 8;
    key[3] = row;
    return this.tree.offsetInMemory(key);
  }

  async seekRow(row: number, { signal }: BlockReadOptions): Promise<BlockCursor | undefined> {
    return positionalCursor(await this.tree.seekAtOrBefore(encodePositionalKey(row), { signal }));
  }

  async first({ signal }: BlockReadOptions): Promise<BlockCursor | undefined> {
    return positionalCursor(await this.tree.first({ signal }));
  }
}

function positionalCursor(cursor: IndexCursor | undefined): BlockCursor | undefined {
  return (
    cursor && {
      get pointer() {
        return cursor.pointer;
      },
      get firstRow() {
        return decodePositionalKey(cursor.key);
      },
      next: () => cursor.next(),
    }
  );
}

type OpenBlock = (block: BlockLocation, options: BlockReadOptions) => Promise<{ readonly firstRow: number }>;

/** A list of all data blocks; a row is found by opening O(log n) of them. */
export class ListDirectory implements BlockDirectory {
  private pointers: readonly BlockLocation[] | undefined;
  private readonly list: (options: BlockReadOptions) => Promise<readonly BlockLocation[]>;
  private readonly open: OpenBlock;

  constructor(list: (options: BlockReadOptions) => Promise<readonly BlockLocation[]>, open: OpenBlock) {
    this.list = list;
    this.open = open;
  }

  offsetInMemory(): number {
    return -1;
  }

  async seekRow(row: number, options: BlockReadOptions): Promise<BlockCursor | undefined> {
    const pointers = await this.all(options);
    let low = 0;
    let high = pointers.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const pointer = pointers[middle];
      if (pointer !== undefined && (await this.open(pointer, options)).firstRow <= row) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return listCursor(pointers, low);
  }

  async first(options: BlockReadOptions): Promise<BlockCursor | undefined> {
    return listCursor(await this.all(options), 0);
  }

  private async all(options: BlockReadOptions): Promise<readonly BlockLocation[]> {
    this.pointers ??= await this.list(options);
    return this.pointers;
  }
}

/** A cursor at block `start` of a list. */
export function listCursor(pointers: readonly BlockLocation[], start: number): BlockCursor | undefined {
  const first = pointers[start];
  if (first === undefined) {
    return undefined;
  }
  let position = start;
  let pointer = first;
  return {
    get pointer() {
      return pointer;
    },
    async next() {
      const following = pointers[++position];
      pointer = following ?? pointer;
      return following !== undefined;
    },
  };
}
