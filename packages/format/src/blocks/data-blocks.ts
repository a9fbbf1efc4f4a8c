/** The opened data blocks of a file with their dictionary; blocks that lookups return to are cached. */
import { type BlockCache, type BlockLocation, type BlockMemory, withErrorContext } from "@cfile/bytes";
import { type BinaryVector, loadDictionaryReader } from "@cfile/encodings";
import type { BlockReader, BlockReadOptions } from "./block-reader.js";
import { CachedBlock } from "./cached-block.js";
import type { BlockColumn, DataBlock, DataBlockOpener } from "./data-block.js";

export class DataBlocks {
  readonly cache: BlockCache<CachedBlock>;
  readonly reader: BlockReader;
  readonly openContent: DataBlockOpener;
  private dictionary: BinaryVector | undefined;
  /** Loads without a signal are shared. */
  private readonly loading = new Map<number, Promise<CachedBlock>>();

  constructor(reader: BlockReader, cache: BlockCache<CachedBlock>, openContent: DataBlockOpener) {
    this.reader = reader;
    this.cache = cache;
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
    const held = this.cache.get(offset);
    if (held !== undefined || options.signal !== undefined) {
      return held ?? this.read(location, options);
    }
    let reading = this.loading.get(offset);
    if (reading === undefined) {
      reading = this.read(location, options);
      const forget = (): boolean => this.loading.delete(offset);
      this.loading.set(offset, reading);
      reading.then(forget, forget);
    }
    return reading;
  }

  /** Opens a block from its stored bytes and caches it. */
  keep(location: BlockLocation, stored: Uint8Array): CachedBlock {
    const block = new CachedBlock(this.open(location, stored), this.reader.structure.path, location);
    this.cache.set(location.offset, block);
    return block;
  }

  /** Opens a block from its stored bytes; the dictionary must be loaded before. */
  open(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): DataBlock {
    const { limits, structure } = this.reader;
    const bytes = this.reader.unwrap(block, stored, memory);
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
