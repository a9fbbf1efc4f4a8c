/**
 * Split block Bloom filters (https://github.com/apache/parquet-format/blob/master/BloomFilter.md) of column chunks.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | thrift | 1: bytes of the blocks; 2, 3, 4: unions with one known member each: split block, xxHash64, uncompressed |
 * | 32 per block | eight words, little-endian |
 *
 * The high half of a value's hash selects the block; the low half times eight salts selects one bit in each word.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import { type ChunkCipher, MODULE_OVERHEAD, moduleSize } from "../crypto/module-cipher.js";
import { readStruct } from "../schema/thrift-struct.js";
import { Xxhash64 } from "./xxhash64.js";

export const SALTS: Uint32Array = /* @__PURE__ */ Uint32Array.of(
  ...[0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31],
);
export const BLOCK_BYTES = 32;
/** More than any header of 15 bytes. */
const HEADER_BYTES = 64;
const FIELD = "Bloom filter";
export const MAX_BYTES = 128 * 1024 * 1024;

/** A filter in a file; only the blocks that are tested are read, unless the filter is encrypted. */
export class BloomFilter {
  private readonly source: ByteSource;
  private readonly start: number;
  private readonly blocks: number;
  /** All blocks of an encrypted filter. */
  private readonly bits: Uint8Array | undefined;
  private readonly hash = new Xxhash64();

  private constructor(source: ByteSource, start: number, blocks: number, bits: Uint8Array | undefined) {
    this.source = source;
    this.start = start;
    this.blocks = blocks;
    this.bits = bits;
  }

  /**
   * Opens the filter at a file offset.
   * @param limit exclusive end of filters in the file
   * @param cipher of an encrypted chunk
   * @returns `undefined` for an unknown algorithm or hash
   * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM` for a damaged header
   */
  static async open(
    source: ByteSource,
    offset: number,
    limit: number,
    cipher?: ChunkCipher,
  ): Promise<BloomFilter | undefined> {
    const room = Math.min(HEADER_BYTES, limit - offset);
    if (!(Number.isSafeInteger(offset) && offset >= 4 && room > 0)) {
      throw corrupt(`invalid offset: ${offset}`, { path: source.name, field: FIELD });
    }
    const stored = await readExactly(source, offset, room, { field: FIELD });
    const headerSize = cipher && moduleSize(stored);
    const module = stored.subarray(0, headerSize);
    const reader = new ByteReader(cipher ? await cipher.decrypt(module, "bloomFilterHeader") : stored);
    const header = readStruct(reader, FIELD);
    const bytes = header.get(1);
    const start = offset + (headerSize ?? reader.position);
    if (![2, 3, 4].every((id) => isFirstMember(header.get(id)))) {
      return undefined;
    }
    if (
      typeof bytes !== "number" ||
      bytes < BLOCK_BYTES ||
      bytes % BLOCK_BYTES > 0 ||
      start + bytes > limit
    ) {
      throw corrupt(`invalid size: ${String(bytes)}`, { path: source.name, offset, field: FIELD });
    }
    const blocks = cipher && (await readExactly(source, start, bytes + MODULE_OVERHEAD, { field: FIELD }));
    const bits = blocks && (await cipher?.decrypt(blocks, "bloomFilterBits"));
    return new BloomFilter(source, start, bytes / BLOCK_BYTES, bits);
  }

  /** Whether the chunk may contain a value. @param plain the value in PLAIN encoding; a string without its length */
  async mayHave(plain: Uint8Array): Promise<boolean> {
    this.hash.update(plain);
    const { low, high } = this.hash;
    const at = BLOCK_BYTES * blockOf(high, this.blocks);
    const block =
      this.bits?.subarray(at, at + BLOCK_BYTES) ??
      (await readExactly(this.source, this.start + at, BLOCK_BYTES, { field: FIELD }));
    return SALTS.every((salt, i) => {
      const bit = Math.imul(low, salt) >>> 27;
      return (((block[4 * i + (bit >>> 3)] as number) >>> (bit & 7)) & 1) === 1;
    });
  }
}

/** A union whose first member is set. */
function isFirstMember(union: unknown): boolean {
  return union instanceof Map && union.size === 1 && union.has(1);
}

/** `high * blocks / 2 ** 32`, exactly. */
export function blockOf(high: number, blocks: number): number {
  const lower = Math.floor(((high & 0xffff) * blocks) / 65536);
  return Math.floor(((high >>> 16) * blocks + lower) / 65536);
}
