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
import type { ScannedBlocks } from "./scanned-blocks.js";

export class DataBlocks {
  /** For lookups. */
  readonly cache: BlockCache<CachedBlock>;
  private readonly budget: CacheBudget;
  private scanned: ScannedBlocks | undefined;
  readonly reader: BlockReader;
  readonly openContent: DataBlockOpener;
  private dictionary: BinaryVector | undefined;
  private readonly loads = new SharedLoads<CachedBlock>();

  /** @param cacheBytes for blocks of lookups and of scans */
  constructor(reader: BlockReader, cacheBytes: number | CacheBudget, openContent: DataBlockOpener) {
    this.budget = typeof cacheBytes === "number" ? new CacheBudget(cacheBytes) : cacheBytes;
    this.reader = reader;
    this.cache = new BlockCache(this.budget);
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

  /** The blocks that scans with `cacheBlocks` keep. */
  async scannedBlocks(): Promise<ScannedBlocks> {
    if (this.scanned === undefined) {
      const { ScannedBlocks } = await import("./scanned-blocks.js");
      this.scanned ??= new ScannedBlocks(this, this.budget);
    }
    return this.scanned;
  }

  /** Drops all cached blocks. */
  clear(): void {
    this.cache.clear();
    this.scanned?.clear();
  }

  /** Opens a block without its wrapper. */
  openUnwrapped(block: BlockLocation, bytes: Uint8Array, memory: BlockMemory | undefined): DataBlock {
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
