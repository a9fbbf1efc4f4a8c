/**
 * The blocks that scans with `cacheBlocks` keep, checked and decompressed. From its second scan on, a block also keeps what it decodes. Files
 * that are scanned once do not load this code.
 */
import { BlockCache, type BlockLocation, type BlockMemory, type CacheBudget } from "@cfile/bytes";
import type { BlockReader, BlockReadOptions } from "./block-reader.js";
import type { DataBlock } from "./data-block.js";

/** The data blocks of a file. */
interface OpenableBlocks {
  readonly reader: BlockReader;
  /** Opens a block without its wrapper. */
  openUnwrapped(block: BlockLocation, bytes: Uint8Array, memory: BlockMemory | undefined): DataBlock;
}

class ScannedBlock {
  /** Without its wrapper. */
  readonly bytes: Uint8Array;
  opened: DataBlock | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get memory(): number {
    return this.opened?.memory ?? this.bytes.length;
  }
}

export class ScannedBlocks {
  private readonly blocks: OpenableBlocks;
  private readonly cache: BlockCache<ScannedBlock>;

  constructor(blocks: OpenableBlocks, budget: CacheBudget) {
    this.blocks = blocks;
    this.cache = new BlockCache(budget);
  }

  readonly isHeld = ({ offset }: BlockLocation): boolean => this.cache.has(offset);

  /**
   * Opens a block and keeps it.
   *
   * @param stored its stored bytes; `undefined` if it was held when it was to be read
   * @param memory for values that are not kept
   * @throws {CFileError} as reading blocks does
   */
  async open(
    block: BlockLocation,
    stored: Uint8Array | undefined,
    memory: BlockMemory | undefined,
    options: BlockReadOptions,
  ): Promise<DataBlock> {
    const { blocks, cache } = this;
    const held = cache.get(block.offset);
    if (held !== undefined) {
      held.opened ??= blocks.openUnwrapped(block, held.bytes, undefined);
      return held.opened;
    }
    const bytes = blocks.reader.unwrap(block, stored ?? (await blocks.reader.readStored(block, options)));
    cache.set(block.offset, new ScannedBlock(bytes));
    return blocks.openUnwrapped(block, bytes, memory);
  }

  clear(): void {
    this.cache.clear();
  }
}
