/**
 * The filters of a Bloom file, read by their pointers, kept within a budget of memory. Neighbours that are wanted together
 * are read together.
 */
import {
  BlockCache,
  type BlockLocation,
  type BlockMemory,
  type CacheBudget,
  type CFileError,
  freshMemory,
  isDamage,
  withErrorContext,
} from "@cfile/bytes";
import type { BlockReader, BlockReadOptions } from "@cfile/format";

import { parseBloomBlock } from "../filter/bloom-block.js";
import type { BloomFilter } from "../filter/bloom-filter.js";

/** A filter, or why the block has none. */
export interface LoadedFilter<Block extends BlockLocation> {
  readonly block: Block;
  readonly filter: BloomFilter | undefined;
  readonly damage: CFileError | undefined;
}

/** Blocks that are read together have no more bytes, and there are no more of them. */
const GROUP_BYTES = 1 << 20;
const GROUP_BLOCKS = 256;
/** Filters that are kept together share so much memory; what is left of it is free when the last of them is forgotten. */
const SHARED_BYTES = 1 << 18;

export class FilterLoader {
  private readonly reader: BlockReader;
  private readonly cache: BlockCache<BloomFilter>;
  /** Loads that nobody can abort are shared. */
  private readonly loading = new Map<number, Promise<BloomFilter>>();
  /** What is free of the memory of filters that are kept. */
  private shared = new Uint8Array(0);
  private memory: BlockMemory = freshMemory;

  constructor(reader: BlockReader, cacheBytes: number | CacheBudget) {
    this.reader = reader;
    this.cache = new BlockCache(cacheBytes);
  }

  /** The filter of the block at a file offset, if it is in memory. */
  cached(offset: number): BloomFilter | undefined {
    return this.cache.get(offset);
  }

  /**
   * Keeps a filter whose block somebody has read: a copy of its content.
   *
   * @throws CFileError when the content is no filter
   */
  keep({ offset }: BlockLocation, content: Uint8Array): BloomFilter {
    const filter = parseBloomBlock(this.copyOf(content));
    this.cache.set(offset, filter);
    return filter;
  }

  /** @throws CFileError when the block cannot be read or is no filter */
  async load(block: BlockLocation, options: BlockReadOptions): Promise<BloomFilter> {
    const { offset } = block;
    const held = this.cache.get(offset);
    if (held !== undefined || options.signal !== undefined) {
      return held ?? this.read(block, options);
    }
    const shared = this.loading.get(offset);
    if (shared !== undefined) {
      return shared;
    }
    const reading = this.read(block, options);
    const forget = (): boolean => this.loading.delete(offset);
    this.loading.set(offset, reading);
    reading.then(forget, forget);
    return reading;
  }

  /**
   * The filters of many blocks, in the order given, those that are read together at once. Damaged blocks do not stop it.
   *
   * @throws CFileError when the source fails
   */
  async *loadAll<Block extends BlockLocation>(
    blocks: readonly Block[],
    options: BlockReadOptions,
  ): AsyncGenerator<readonly LoadedFilter<Block>[], void, void> {
    for (let from = 0; from < blocks.length; ) {
      options.signal?.throwIfAborted();
      const to = groupEnd(blocks, from);
      yield await this.loadGroup(blocks.slice(from, to), options);
      from = to;
    }
  }

  clear(): void {
    this.cache.clear();
  }

  /** From now on, filters are kept in `memory`. Whoever recycles it clears the loader first. */
  keepIn(memory: BlockMemory): void {
    this.memory = memory;
    this.shared = new Uint8Array(0);
  }

  /** In memory that many of them share: buffers of their own cost more than what is in them. */
  private copyOf(content: Uint8Array): Uint8Array {
    const { length } = content;
    if (this.shared.length < length) {
      this.shared = new Uint8Array(this.memory.take(Math.max(length, SHARED_BYTES)));
    }
    const copy = this.shared.subarray(0, length);
    copy.set(content);
    this.shared = this.shared.subarray(length);
    return copy;
  }

  private async read(block: BlockLocation, options: BlockReadOptions): Promise<BloomFilter> {
    return this.open(block, await this.reader.readStored(block, options));
  }

  private open({ offset, size }: BlockLocation, stored: Uint8Array): BloomFilter {
    const block = { offset, size };
    const bytes = this.reader.unwrap(block, stored);
    const filter = withErrorContext({ path: this.reader.structure.path, block }, () =>
      parseBloomBlock(bytes),
    );
    this.cache.set(offset, filter);
    return filter;
  }

  private async loadGroup<Block extends BlockLocation>(
    blocks: readonly Block[],
    options: BlockReadOptions,
  ): Promise<LoadedFilter<Block>[]> {
    const loaded: LoadedFilter<Block>[] = [];
    const missing: Block[] = [];
    for (const block of blocks) {
      const filter = this.cache.get(block.offset);
      const found = filter === undefined ? attempt(block, () => this.checked(block)) : sound(block, filter);
      loaded.push(found);
      if (found.filter === undefined && found.damage === undefined) {
        missing.push(block);
      }
    }
    return missing.length === 0 ? loaded : this.readMissing(loaded, missing, options);
  }

  private async readMissing<Block extends BlockLocation>(
    loaded: readonly LoadedFilter<Block>[],
    missing: readonly Block[],
    options: BlockReadOptions,
  ): Promise<LoadedFilter<Block>[]> {
    const stored = await this.reader.readStoredRange(missing, options);
    let next = 0;
    return loaded.map((found) => {
      if (found.filter !== undefined || found.damage !== undefined) {
        return found;
      }
      // A copy: what is kept must not keep its neighbours in memory.
      const bytes = (stored[next++] as Uint8Array).slice();
      return attempt(found.block, () => this.open(found.block, bytes));
    });
  }

  private checked(block: BlockLocation): undefined {
    this.reader.checkPointer(block);
  }
}

function sound<Block extends BlockLocation>(block: Block, filter: BloomFilter): LoadedFilter<Block> {
  return { block, filter, damage: undefined };
}

function attempt<Block extends BlockLocation>(
  block: Block,
  open: () => BloomFilter | undefined,
): LoadedFilter<Block> {
  try {
    return { block, filter: open(), damage: undefined };
  } catch (error) {
    if (isDamage(error)) {
      return { block, filter: undefined, damage: error };
    }
    throw error;
  }
}

function groupEnd(blocks: readonly BlockLocation[], from: number): number {
  let bytes = 0;
  let to = from;
  while (to < blocks.length && to - from < GROUP_BLOCKS) {
    bytes += (blocks[to] as BlockLocation).size;
    if (bytes > GROUP_BYTES && to > from) {
      break;
    }
    to++;
  }
  return to;
}
