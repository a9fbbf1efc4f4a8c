/** Builds the Bloom filter of a chunk (format: `../prune/bloom-filter.ts`) from hashes of its values. */
import { ArenaBuilder, type ByteBuilder, type MemoryArena } from "@cfile/bytes";
import type { BinaryVector, Vector } from "@cfile/encodings";
import { choosePageKernels, type FillBloom, type HashedValues, type HashValues } from "@cfile/kernels/pages";
import { BLOCK_BYTES, blockOf, MAX_BYTES, SALTS } from "../prune/bloom-filter.js";
import { Xxhash64 } from "../prune/xxhash64.js";
import { PIECE_BYTES } from "./parquet-output.js";
import { appendPlain, BitBuilder } from "./plain-writer.js";
import type { StoredBytes } from "./stored-bytes.js";

/** Maximum share of absent values that seem present. */
const FALSE_POSITIVES = 0.01;

export class BloomBuilder {
  private readonly plain: ByteBuilder;
  /** The dictionary whose words are hashed already. */
  private dictionary: BinaryVector | undefined;
  private readonly arena: MemoryArena;
  /** Two words per hash; only the last piece may have room for more. */
  private pieces: HashPiece[] = [];

  /** @param arena of the output to which the filters are written; hashes are released at the end of each filter */
  constructor(arena: MemoryArena) {
    this.arena = arena;
    this.plain = new ArenaBuilder(1 << 16, arena);
  }

  /** @param vector values without nulls; booleans have no Bloom filter */
  take(vector: Vector): void {
    switch (vector.kind) {
      case "bool":
        return;
      case "binary":
        this.add(vector, vector.length);
        return;
      case "dictionary":
        // Words that no row uses only make false positives more likely.
        if (vector.dictionary !== this.dictionary && vector.length > 0) {
          this.dictionary = vector.dictionary;
          this.add(vector.dictionary, vector.dictionary.length);
        }
        return;
      case "fixed": {
        appendPlain(this.plain, new BitBuilder(), vector);
        const data = this.plain.take(true);
        this.add({ data, width: data.length / vector.length }, vector.length);
      }
    }
  }

  /**
   * Appends the filter with its header, and starts the next one.
   *
   * @returns the bytes of both
   */
  finish(target: StoredBytes): number {
    const { pieces } = this;
    const hashes = pieces.map(({ words, count }) => words.subarray(0, 2 * count));
    const size = filterBytes(pieces.reduce((sum, { count }) => sum + count, 0));
    const memory = this.arena.take(size, true);
    const blocks = new Uint8Array(memory, 0, size);
    choosePageKernels().fillBloom(fillEach)(hashes, blocks);
    const filter = blocks.subarray(0, foldedBytes(new Uint32Array(memory, 0, size / 4)));
    const header = filterHeader(filter.length);
    target.append(header);
    target.append(filter);
    for (const { words } of pieces) {
      this.arena.release(words.buffer);
    }
    this.arena.release(memory);
    this.pieces = [];
    this.dictionary = undefined;
    return header.length + filter.length;
  }

  private add(values: HashedValues, count: number): void {
    if (count === 0) {
      return;
    }
    const piece = this.pieceFor(count);
    const start = 2 * piece.count;
    choosePageKernels().hashValues(hashEach)(values, count, piece.words.subarray(start, start + 2 * count));
    piece.count += count;
  }

  private pieceFor(count: number): HashPiece {
    const last = this.pieces.at(-1);
    if (last !== undefined && 2 * (last.count + count) <= last.words.length) {
      return last;
    }
    const buffer = this.arena.take(Math.max(PIECE_BYTES, 8 * count));
    const piece = { words: new Uint32Array(buffer), count: 0 };
    this.pieces.push(piece);
    return piece;
  }
}

interface HashPiece {
  readonly words: Uint32Array<ArrayBuffer>;
  /** Number of hashes. */
  count: number;
}

const hashEach: HashValues = (values, count, hashes) => {
  const hash = new Xxhash64();
  for (let i = 0; i < count; i++) {
    const isFixed = "width" in values;
    const from = isFixed ? values.width * i : (values.offsets[i] as number);
    hash.update(values.data, from, isFixed ? from + values.width : (values.offsets[i + 1] as number));
    hashes[2 * i] = hash.low;
    hashes[2 * i + 1] = hash.high;
  }
};

const fillEach: FillBloom = (hashes, blocks) => {
  for (const piece of hashes) {
    for (let i = 0; i < piece.length; i += 2) {
      const low = piece[i] as number;
      const start = BLOCK_BYTES * blockOf(piece[i + 1] as number, blocks.length / BLOCK_BYTES);
      for (let j = 0; j < 8; j++) {
        const bit = Math.imul(low, SALTS[j] as number) >>> 27;
        const at = start + 4 * j + (bit >>> 3);
        blocks[at] = (blocks[at] as number) | (1 << (bit & 7));
      }
    }
  }
};

/** The size that parquet-java chooses for distinct values: a power of two. */
function filterBytes(distinct: number): number {
  const bits = (-8 * distinct) / Math.log(1 - FALSE_POSITIVES ** (1 / 8));
  const exponent = Math.ceil(Math.log2(Math.max(1, bits / 8)));
  return Math.min(MAX_BYTES, Math.max(BLOCK_BYTES, 2 ** exponent));
}

/**
 * Halves a filter in place while its false positives permit it, because its size does not account for equal values. The high bits of a hash
 * select the block, so each block of the smaller filter combines the bits of two neighbors.
 *
 * @returns its bytes
 */
function foldedBytes(words: Uint32Array): number {
  let { length } = words;
  while (length > 8 && falsePositivesOfHalf(words, length) <= FALSE_POSITIVES) {
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

function filterHeader(size: number): Uint8Array {
  const zigzag: number[] = [];
  for (let left = 2 * size; ; left >>>= 7) {
    if (left < 0x80) {
      zigzag.push(left);
      break;
    }
    zigzag.push((left & 0x7f) | 0x80);
  }
  // Field 1 is an i32; fields 2 to 4 are structs with an empty struct as field 1.
  const union = [0x1c, 0x1c, 0x00, 0x00];
  return Uint8Array.of(0x15, ...zigzag, ...union, ...union, ...union, 0x00);
}
