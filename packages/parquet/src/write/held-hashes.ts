/** Hashes of values in memory of an arena, and split block Bloom filters of them (format: `../prune/bloom-filter.ts`). */
import type { MemoryArena } from "@cfile/bytes";
import type { HashedValues, HashStore } from "@cfile/kernels/pages";
import { BLOCK_BYTES, blockOf, SALTS } from "../prune/bloom-filter.js";
import { Xxhash64 } from "../prune/xxhash64.js";
import { PIECE_BYTES } from "./parquet-output.js";

export class HeldHashes implements HashStore {
  count = 0;
  private readonly arena: MemoryArena;
  private readonly hash = new Xxhash64();
  /** Two words per hash; only the last piece may have room for more. */
  private pieces: HashPiece[] = [];

  /** @param arena hashes are released when they are removed */
  constructor(arena: MemoryArena) {
    this.arena = arena;
  }

  add(values: HashedValues, count: number): void {
    const { hash } = this;
    const { words, start } = this.roomFor(count);
    for (let i = 0; i < count; i++) {
      const isFixed = "width" in values;
      const from = isFixed ? values.width * i : (values.offsets[i] as number);
      hash.update(values.data, from, isFixed ? from + values.width : (values.offsets[i + 1] as number));
      words[start + 2 * i] = hash.low;
      words[start + 2 * i + 1] = hash.high;
    }
  }

  hold(hashes: Uint32Array): void {
    if (hashes.length > 0) {
      const { words, start } = this.roomFor(hashes.length / 2);
      words.set(hashes, start);
    }
  }

  held(): Uint32Array[] {
    return this.pieces.map(({ words, count }) => words.subarray(0, 2 * count));
  }

  clear(): void {
    for (const { words } of this.pieces) {
      this.arena.release(words.buffer);
    }
    this.pieces = [];
    this.count = 0;
  }

  finish(bytes: number, limit: number, use: (filter: Uint8Array) => void): void {
    const memory = this.arena.take(bytes, true);
    const blocks = new Uint8Array(memory, 0, bytes);
    for (const piece of this.held()) {
      setBits(piece, blocks);
    }
    this.clear();
    use(blocks.subarray(0, foldedBytes(new Uint32Array(memory, 0, bytes / 4), limit)));
    this.arena.release(memory);
  }

  private roomFor(count: number): { readonly words: Uint32Array; readonly start: number } {
    let piece = this.pieces.at(-1);
    if (piece === undefined || 2 * (piece.count + count) > piece.words.length) {
      const buffer = this.arena.take(Math.max(PIECE_BYTES, 8 * count));
      piece = { words: new Uint32Array(buffer), count: 0 };
      this.pieces.push(piece);
    }
    const start = 2 * piece.count;
    piece.count += count;
    this.count += count;
    return { words: piece.words, start };
  }
}

interface HashPiece {
  readonly words: Uint32Array<ArrayBuffer>;
  /** Number of hashes. */
  count: number;
}

function setBits(hashes: Uint32Array, blocks: Uint8Array): void {
  for (let i = 0; i < hashes.length; i += 2) {
    const low = hashes[i] as number;
    const start = BLOCK_BYTES * blockOf(hashes[i + 1] as number, blocks.length / BLOCK_BYTES);
    for (let j = 0; j < 8; j++) {
      const bit = Math.imul(low, SALTS[j] as number) >>> 27;
      const at = start + 4 * j + (bit >>> 3);
      blocks[at] = (blocks[at] as number) | (1 << (bit & 7));
    }
  }
}

/**
 * Halves a filter in place while its false positives permit it, because its size does not account for equal values. The high bits of a hash
 * select the block, so each block of the smaller filter combines the bits of two neighbors.
 *
 * @returns its bytes
 */
function foldedBytes(words: Uint32Array, limit: number): number {
  let { length } = words;
  while (length > 8 && falsePositivesOfHalf(words, length) <= limit) {
    length >>= 1;
    for (let i = 0; i < length; i++) {
      words[i] = halfWord(words, i);
    }
  }
  return 4 * length;
}

/** Share of random hashes whose eight bits are all set in a filter of half the length. */
function falsePositivesOfHalf(words: Uint32Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length / 2; i += 8) {
    let share = 1;
    for (let j = i; j < i + 8; j++) {
      share *= bitCount(halfWord(words, j)) / 32;
    }
    sum += share;
  }
  return (16 * sum) / length;
}

/** Word `i` of a filter of half the length. */
function halfWord(words: Uint32Array, i: number): number {
  const first = 2 * i - (i & 7);
  return (words[first] as number) | (words[first + 8] as number);
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
