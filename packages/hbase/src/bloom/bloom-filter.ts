/** Queries the Bloom filters of a store file (docs/spec/hbase-table.md#83-question). Chunks are read on demand. */
import { BlockCache, type CacheBudget, compareBytes, corrupt, withErrorContext } from "@cfile/bytes";
import type { HFileStructure } from "@cfile/hfile";
import type { ReadOptions } from "@cfile/io";
import type { BloomMeta } from "./bloom-meta.js";

/** Order of two keys of a filter. */
export type KeyOrder = (left: Uint8Array, right: Uint8Array) => number;

interface Chunk {
  readonly bits: Uint8Array;
  readonly memory: number;
}

/** The Bloom filter of a file. */
export class BloomFilter {
  readonly meta: BloomMeta;
  private readonly structure: HFileStructure;
  private readonly compare: KeyOrder;
  private readonly cache: BlockCache<Chunk>;

  /** @throws {CFileError} `E_CORRUPT` when the chunks are not in the order of their keys */
  constructor(meta: BloomMeta, structure: HFileStructure, compare: KeyOrder, budget: CacheBudget) {
    this.meta = meta;
    this.structure = structure;
    this.compare = compare;
    this.cache = new BlockCache(budget);
    const { chunks } = meta;
    for (let i = 1; i < chunks.length; i++) {
      if (compare(chunks[i - 1]?.firstKey as Uint8Array, chunks[i]?.firstKey as Uint8Array) > 0) {
        const details = { path: structure.loader.source.name, field: "chunk key" };
        throw corrupt(`key of Bloom chunk ${i} precedes that of the previous chunk`, details);
      }
    }
  }

  /** The answer without reading; `undefined` when the chunk is not in memory. */
  cachedAnswer(key: Uint8Array): boolean | undefined {
    const entry = this.meta.chunks[this.chunkOf(key)];
    if (entry === undefined) {
      return false;
    }
    const cached = this.cache.get(entry.offset);
    return cached && this.ask(cached.bits, key);
  }

  /**
   * Whether the file may have the key; `false` is certain.
   * @throws {CFileError} for damage; `E_IO` from the source
   */
  async mayContain(key: Uint8Array, options: ReadOptions = {}): Promise<boolean> {
    const entry = this.meta.chunks[this.chunkOf(key)];
    if (entry === undefined) {
      return false;
    }
    let chunk = this.cache.get(entry.offset);
    if (chunk === undefined) {
      const { loader } = this.structure;
      const { body } = await loader.load(entry, ["bloom chunk"], options);
      withErrorContext({ path: loader.source.name, block: entry }, () => {
        if (body.length === 0 || body.length > 2 ** 27) {
          throw corrupt(`invalid size of a Bloom chunk: ${body.length}`, { field: "Bloom chunk" });
        }
      });
      chunk = { bits: body, memory: body.length };
      this.cache.set(entry.offset, chunk);
    }
    return this.ask(chunk.bits, key);
  }

  /** The last chunk that starts at or before the key, or -1. */
  private chunkOf(key: Uint8Array): number {
    const { chunks } = this.meta;
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(chunks[middle]?.firstKey as Uint8Array, key) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private ask(bits: Uint8Array, key: Uint8Array): boolean {
    const { hash, hashCount } = this.meta;
    const first = hash(key, key.length, 0);
    const step = hash(key, key.length, first);
    const count = 8 * bits.length;
    let combined = first;
    for (let i = 0; i < hashCount; i++) {
      const position = Math.abs(combined % count);
      if ((((bits[position >>> 3] as number) >>> (position & 7)) & 1) === 0) {
        return false;
      }
      combined = (combined + step) | 0;
    }
    return true;
  }
}

/** Order of keys that are rows or prefixes of rows. */
export const compareRowKeys: KeyOrder = compareBytes;
