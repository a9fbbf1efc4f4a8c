/** The data blocks of a file, opened, with the dictionary they need; blocks that look-ups come back to are kept. */
import { type BlockCache, type BlockLocation, type BlockMemory, withErrorContext } from "@cfile/bytes";
import { type BinaryVector, loadDictionaryReader } from "@cfile/encodings";
import type { BlockReader, BlockReadOptions } from "./block-reader.js";
import { CachedBlock } from "./cached-block.js";
import type { BlockColumn, DataBlock, DataBlockOpener } from "./data-block.js";

export class DataBlocks {
  readonly cache: BlockCache<CachedBlock>;
  readonly reader: BlockReader;
  /** Known once it was loaded. */
  dictionary: BinaryVector | undefined;
  /** Loads that nobody can abort are shared. */
  private readonly loading = new Map<number, Promise<CachedBlock>>();

  readonly openContent: DataBlockOpener;

  constructor(reader: BlockReader, cache: BlockCache<CachedBlock>, openContent: DataBlockOpener) {
    this.reader = reader;
    this.cache = cache;
    this.openContent = openContent;
  }

  /** What must be known of the column to open its blocks; the dictionary where it is loaded. */
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
    const held = this.cache.get(location.offset);
    if (held !== undefined) {
      return held;
    }
    if (options.signal !== undefined) {
      return this.read(location, options);
    }
    const shared = this.loading.get(location.offset);
    if (shared !== undefined) {
      return shared;
    }
    const reading = this.read(location, options);
    const forget = (): boolean => this.loading.delete(location.offset);
    this.loading.set(location.offset, reading);
    reading.then(forget, forget);
    return reading;
  }

  /** Opens a block of which the stored bytes are at hand, and keeps it. */
  keep(location: BlockLocation, stored: Uint8Array): CachedBlock {
    const block = new CachedBlock(this.open(location, stored), this.reader.structure.path, location);
    this.cache.set(location.offset, block);
    return block;
  }

  /** Opens a block; a dictionary that it needs must have been loaded. */
  open(block: BlockLocation, stored: Uint8Array, memory?: BlockMemory): DataBlock {
    const bytes = this.reader.unwrap(block, stored, memory);
    return withErrorContext({ path: this.reader.structure.path, block }, () =>
      this.openContent(bytes, { ...this.column(), memory }, this.reader.limits),
    );
  }

  async loadDictionary(options: BlockReadOptions): Promise<void> {
    const { footer, path } = this.reader.structure;
    const pointer = footer.dictionary;
    if (this.dictionary === undefined && pointer !== undefined) {
      const [bytes, openDictionaryWords] = await Promise.all([
        this.reader.read(pointer, options),
        loadDictionaryReader(),
      ]);
      this.dictionary ??= withErrorContext({ path, block: pointer }, () =>
        openDictionaryWords(bytes, this.reader.structure.wrapping),
      );
    }
  }

  private async read(location: BlockLocation, options: BlockReadOptions): Promise<CachedBlock> {
    await this.loadDictionary(options);
    return this.keep(location, await this.reader.readStored(location, options));
  }
}
