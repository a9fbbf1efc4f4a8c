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

  /**
   * The column's properties.
   *
   * @param dictionary default: the one that is kept, if any
   */
  column(dictionary: BinaryVector | undefined = this.dictionary, memory?: BlockMemory): BlockColumn {
    const { footer, encoding, wrapping } = this.reader.structure;
    return {
      type: footer.dataType,
      encoding,
      nullable: footer.nullable ?? false,
      array: footer.array ?? false,
      dictionary,
      kernels: wrapping.kernels,
      memory,
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

  /**
   * Opens a block from its stored bytes.
   *
   * @param dictionary default: the one that is kept, if any
   */
  open(
    block: BlockLocation,
    stored: Uint8Array,
    { dictionary, memory }: Partial<Pick<BlockColumn, "dictionary" | "memory">> = {},
  ): DataBlock {
    const { limits, structure } = this.reader;
    const bytes = this.reader.unwrap(block, stored, memory);
    return withErrorContext({ path: structure.path, block }, () =>
      this.openContent(bytes, this.column(dictionary, memory), limits),
    );
  }

  /**
   * Whether a scan that begins now keeps what later reads may need. The first scan of a local file does not: if it stays the only one,
   * that would only take memory, in each of the files of a large table.
   */
  keepsNow(): boolean {
    const keeps = this.isScanned || this.reader.isRemote;
    this.isScanned = true;
    return keeps;
  }

  /** @param keep whether to keep it for later calls. Default `true` */
  async loadDictionary(options: BlockReadOptions, keep = true): Promise<BinaryVector | undefined> {
    const { footer, path, wrapping } = this.reader.structure;
    const block = footer.dictionary;
    if (this.dictionary !== undefined || block === undefined) {
      return this.dictionary;
    }
    const reading = this.reader.read(block, options);
    const [bytes, openDictionaryWords] = await Promise.all([reading, loadDictionaryReader()]);
    // A concurrent call may have been faster.
    const dictionary =
      this.dictionary ?? withErrorContext({ path, block }, () => openDictionaryWords(bytes, wrapping));
    if (keep) {
      this.dictionary = dictionary;
    }
    return dictionary;
  }

  private async read(location: BlockLocation, options: BlockReadOptions): Promise<CachedBlock> {
    await this.loadDictionary(options);
    return this.keep(location, await this.reader.readStored(location, options));
  }
}
