/** Reads the filters of a Bloom file, several neighboring blocks at a time, and caches them within a memory budget. */
import {
  BlockCache,
  type BlockLocation,
  type BlockMemory,
  type CacheBudget,
  type CFileError,
  freshMemory,
  isDamage,
  SharedLoads,
  withErrorContext,
} from "@cfile/bytes";
import type { BlockReader, BlockReadOptions } from "@cfile/format";
import { parseBloomBlock } from "../filter/bloom-block.js";
import type { BloomFilter } from "../filter/bloom-filter.js";

/** A filter, or the damage that makes it unreadable. */
export interface LoadedFilter<Block extends BlockLocation> {
  readonly block: Block;
  readonly filter: BloomFilter | undefined;
  readonly damage: CFileError | undefined;
}

/** Maximum bytes and number of blocks that are read together. */
const GROUP_BYTES = 1 << 20;
const GROUP_BLOCKS = 256;
/** Size of a buffer shared by several cached filters; it is freed when the last of them is dropped. */
const SHARED_BYTES = 1 << 18;

export class FilterLoader {
  private readonly reader: BlockReader;
  private readonly cache: BlockCache<BloomFilter>;
  private readonly loads = new SharedLoads<BloomFilter>();
  /** Free part of the current shared buffer. */
  private shared = new Uint8Array(0);
  private memory: BlockMemory = freshMemory;

  constructor(reader: BlockReader, cacheBytes: number | CacheBudget) {
    this.reader = reader;
    this.cache = new BlockCache(cacheBytes);
  }

  /** The cached filter of the block at a file offset. */
  cached(offset: number): BloomFilter | undefined {
    return this.cache.get(offset);
  }

  /** Caches a copy of the filter in the content of a block. @throws {CFileError} as `parseBloomBlock` */
  keep({ offset }: BlockLocation, content: Uint8Array): BloomFilter {
    const filter = parseBloomBlock(this.copyOf(content));
    this.cache.set(offset, filter);
    return filter;
  }

  /** @throws {CFileError} when the block cannot be read or is not a filter */
  async load(block: BlockLocation, options: BlockReadOptions): Promise<BloomFilter> {
    const { offset } = block;
    return (
      this.cache.get(offset) ?? this.loads.share(offset, options.signal, () => this.read(block, options))
    );
  }

  /**
   * Yields the filters of many blocks in the given order, in groups that are read together. Continues after damaged blocks.
   *
   * @throws {CFileError} when the source fails
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

  /** Allocates cached filters in `memory` from now on. Clear the loader before you recycle that memory. */
  keepIn(memory: BlockMemory): void {
    this.memory = memory;
    this.shared = new Uint8Array(0);
  }

  /** A copy in a shared buffer: one buffer per filter would cost more than its bytes. */
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
    const { path } = this.reader.structure;
    const bytes = this.reader.unwrap(block, stored);
    const filter = withErrorContext({ path, block }, () => parseBloomBlock(bytes));
    this.cache.set(offset, filter);
    return filter;
  }

  private cachedOrChecked(block: BlockLocation): BloomFilter | undefined {
    const held = this.cache.get(block.offset);
    if (held === undefined) {
      this.reader.checkPointer(block);
    }
    return held;
  }

  private async loadGroup<Block extends BlockLocation>(
    blocks: readonly Block[],
    options: BlockReadOptions,
  ): Promise<LoadedFilter<Block>[]> {
    const cached = blocks.map((block) => attempt(block, () => this.cachedOrChecked(block)));
    const missing = cached.filter(isMissing).map(({ block }) => block);
    const read = missing.length === 0 ? [] : await this.reader.readStoredRange(missing, options);
    let next = 0;
    return cached.map((found) => {
      if (!isMissing(found)) {
        return found;
      }
      // Copied: a cached filter must not keep its neighbors in memory.
      const stored = read[next++]?.() as Uint8Array;
      const bytes = stored.slice();
      return attempt(found.block, () => this.open(found.block, bytes));
    });
  }
}

function isMissing({ filter, damage }: LoadedFilter<BlockLocation>): boolean {
  return filter === undefined && damage === undefined;
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
  for (const { size } of blocks.slice(from, from + GROUP_BLOCKS)) {
    bytes += size;
    if (bytes > GROUP_BYTES && to > from) {
      break;
    }
    to++;
  }
  return to;
}
