/** Opens the data blocks of a file with their dictionary, and caches blocks for lookups. */
import {
  BlockCache,
  type BlockLocation,
  type BlockMemory,
  type CacheBudget,
  SharedLoads,
  withErrorContext,
} from "@cfile/bytes";
import { type BinaryVector, loadDictionaryReader } from "@cfile/encodings";
import type { BlockReader, BlockReadOptions } from "./block-reader.js";
import { CachedBlock } from "./cached-block.js";
import type { BlockColumn, DataBlock, DataBlockOpener } from "./data-block.js";

export class DataBlocks {
  /** For lookups, and for scans with `cacheBlocks`. */
  readonly cache: BlockCache<CachedBlock>;
  private isScanned = false;
  readonly reader: BlockReader;
  readonly openContent: DataBlockOpener;
  private dictionary: BinaryVector | undefined;
  private readonly loads = new SharedLoads<CachedBlock>();

  constructor(reader: BlockReader, cacheBytes: number | CacheBudget, openContent: DataBlockOpener) {
    this.reader = reader;
    this.cache = new BlockCache(cacheBytes);
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

  /** Opens a block from its stored bytes; the dictionary must already be loaded. */
  open(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): DataBlock {
    const { limits, structure } = this.reader;
    const bytes = this.reader.unwrap(block, stored, memory);
    return withErrorContext({ path: structure.path, block }, () =>
      this.openContent(bytes, { ...this.column(), memory }, limits),
    );
  }

  /**
   * The cache for a scan with `cacheBlocks`. `undefined` for the first scan of a local file: if it stays the only one, a cache would
   * only waste memory.
   */
  cacheOfScan(): BlockCache<CachedBlock> | undefined {
    const keeps = this.isScanned || this.reader.isRemote;
    this.isScanned = true;
    return keeps ? this.cache : undefined;
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
