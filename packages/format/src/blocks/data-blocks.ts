/** Opens the data blocks of a file with their dictionary, and caches blocks for lookups. */
import {
  BlockCache,
  type BlockLocation,
  type BlockMemory,
  CacheBudget,
  SharedLoads,
  withErrorContext,
} from "@cfile/bytes";
import { type BinaryVector, loadDictionaryReader } from "@cfile/encodings";
import type { BlockReader, BlockReadOptions } from "./block-reader.js";
import { CachedBlock } from "./cached-block.js";
import type { BlockColumn, DataBlock, DataBlockOpener } from "./data-block.js";

/** A block without its wrapper: checked and decompressed. From its second scan on, it keeps what it decodes. */
class ScannedBlock {
  readonly bytes: Uint8Array;
  opened: DataBlock | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get memory(): number {
    return this.opened?.memory ?? this.bytes.length;
  }
}

export class DataBlocks {
  /** For lookups. */
  readonly cache: BlockCache<CachedBlock>;
  /** For scans with `cacheBlocks`. */
  readonly scanned: BlockCache<ScannedBlock>;
  readonly reader: BlockReader;
  readonly openContent: DataBlockOpener;
  private dictionary: BinaryVector | undefined;
  private readonly loads = new SharedLoads<CachedBlock>();

  /** @param cacheBytes for blocks of lookups and of scans */
  constructor(reader: BlockReader, cacheBytes: number | CacheBudget, openContent: DataBlockOpener) {
    const budget = typeof cacheBytes === "number" ? new CacheBudget(cacheBytes) : cacheBytes;
    this.reader = reader;
    this.cache = new BlockCache(budget);
    this.scanned = new BlockCache(budget);
    this.openContent = openContent;
  }

  /** The column's properties, with the dictionary once it is loaded. */
  column(): BlockColumn {
    const { footer, encoding, wrapping } = this.reader.structure;
    return {
      type: footer.dataType,
      encoding,
      nullable: footer.nullable ?? false,
      array: footer.array ?? false,
      dictionary: this.dictionary,
      kernels: wrapping.kernels,
    };
  }

  /** A block from the cache, or read. */
  async load(location: BlockLocation, options: BlockReadOptions): Promise<CachedBlock> {
    const { offset } = location;
    return (
      this.cache.get(offset) ?? this.loads.share(offset, options.signal, () => this.read(location, options))
    );
  }

  /**
   * As {@link open} for a block that is kept for later scans.
   *
   * @param stored `undefined` if the block was held when it was to be read
   */
  async openKept(
    block: BlockLocation,
    stored: Uint8Array | undefined,
    memory: BlockMemory | undefined,
    options: BlockReadOptions,
  ): Promise<DataBlock> {
    const held = this.scanned.get(block.offset);
    if (held !== undefined) {
      held.opened ??= this.openUnwrapped(block, held.bytes, undefined);
      return held.opened;
    }
    const bytes = this.reader.unwrap(block, stored ?? (await this.reader.readStored(block, options)));
    this.scanned.set(block.offset, new ScannedBlock(bytes));
    return this.openUnwrapped(block, bytes, memory);
  }

  /** Opens a block from its stored bytes and caches it. */
  keep(location: BlockLocation, stored: Uint8Array): CachedBlock {
    const block = new CachedBlock(this.open(location, stored), this.reader.structure.path, location);
    this.cache.set(location.offset, block);
    return block;
  }

  /** Opens a block from its stored bytes; the dictionary must be loaded before. */
  open(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): DataBlock {
    return this.openUnwrapped(block, this.reader.unwrap(block, stored, memory), memory);
  }

  /** Drops all cached blocks. */
  clear(): void {
    this.cache.clear();
    this.scanned.clear();
  }

  private openUnwrapped(block: BlockLocation, bytes: Uint8Array, memory: BlockMemory | undefined): DataBlock {
    const { limits, structure } = this.reader;
    return withErrorContext({ path: structure.path, block }, () =>
      this.openContent(bytes, { ...this.column(), memory }, limits),
    );
  }

  async loadDictionary(options: BlockReadOptions): Promise<BinaryVector | undefined> {
    const { footer, path, wrapping } = this.reader.structure;
    const block = footer.dictionary;
    if (this.dictionary === undefined && block !== undefined) {
      const reading = this.reader.read(block, options);
      const [bytes, openDictionaryWords] = await Promise.all([reading, loadDictionaryReader()]);
      this.dictionary ??= withErrorContext({ path, block }, () => openDictionaryWords(bytes, wrapping));
    }
    return this.dictionary;
  }

  private async read(location: BlockLocation, options: BlockReadOptions): Promise<CachedBlock> {
    await this.loadDictionary(options);
    return this.keep(location, await this.reader.readStored(location, options));
  }
}
