import type { BlockMemory } from "@cfile/bytes";
import type { WordTable } from "./word-table.js";

/**
 * What a faster version of the hot loops offers. Every method may decline (`false` or `undefined`): the input is bad, or
 * larger than is worth its memory. The caller then takes its portable way, which gives the same bytes, or the error that
 * says what is wrong and where.
 */
export interface Kernels extends DecodeKernels, EncodeKernels {}

/** Those that reading needs. */
export interface DecodeKernels {
  /** CRC-32C of `bytes[start..end)`. */
  crc32c(bytes: Uint8Array, start: number, end: number): number | undefined;
  /** Expands the LZ4 block `src[srcStart..srcEnd)` to exactly `dst[dstStart..dstEnd)`. */
  lz4Decompress(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    dst: Uint8Array,
    dstStart: number,
    dstEnd: number,
  ): boolean;
  /** Expands the raw Snappy stream `src` to exactly `dst`. */
  snappyDecompress(src: Uint8Array, dst: Uint8Array): boolean;
  /**
   * The inverse of `bitTranspose`: `count` elements (a multiple of 8) of `size` bytes (1, 2, 4, 8 or 16) from their rows of bits
   * at `rows[rowsStart]` to `elements[elementsStart]`.
   */
  bitUntranspose(
    rows: Uint8Array,
    rowsStart: number,
    elements: Uint8Array,
    elementsStart: number,
    size: number,
    count: number,
  ): boolean;
  /**
   * Expands the chunk stream `src[srcStart..srcEnd)` of a bitshuffle block to `count` elements (a multiple of 8) of `size`
   * bytes (1, 2, 4, 8 or 16) at `dst[dstStart]`.
   */
  bitshuffleDecode(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    count: number,
    size: number,
    dst: Uint8Array,
    dstStart: number,
  ): boolean;
  /**
   * The offsets of a plain binary block: a group varint sequence of `count` values in `bytes[start..)`, never descending,
   * from `first` on and not above `last`; and `last` behind them.
   */
  readOffsets(
    bytes: Uint8Array,
    start: number,
    count: number,
    first: number,
    last: number,
    memory?: BlockMemory,
  ): Int32Array | undefined;
  /**
   * The values of a prefix block: `count` entries in `block[entriesStart..entriesEnd)`, and behind them the restarts. Declines
   * when the values take more than `mostBytes`.
   */
  prefixDecode(
    block: Uint8Array,
    entriesStart: number,
    entriesEnd: number,
    count: number,
    interval: number,
    mostBytes: number,
    memory?: BlockMemory,
  ): DecodedStrings | undefined;
  /**
   * Expands the chunk stream `src[srcStart..srcEnd)` of `count` codewords (a multiple of 8) of `size` bytes (1, 2 or 4).
   */
  bitshuffleCodes(
    src: Uint8Array,
    srcStart: number,
    srcEnd: number,
    count: number,
    size: number,
    memory?: BlockMemory,
  ): DecodedCodes | undefined;
  /**
   * `count` values of the RLE stream `bytes[start..end)`, behind `skipped` ones in its first run: integers of `width` 8, 16,
   * 32 or 64 bits, or a bitmap of width 1.
   */
  rleDecode(
    bytes: Uint8Array,
    start: number,
    end: number,
    width: number,
    skipped: number,
    count: number,
    memory?: BlockMemory,
  ): ArrayBuffer | undefined;
  /**
   * Spreads `values`, of `width` bytes each (1, 2, 4, 8 or 16), over the rows that `validity` marks, as many as there are
   * values; the other rows get zeros.
   */
  scatter(
    values: Uint8Array,
    validity: Uint8Array,
    rows: number,
    width: number,
    memory?: BlockMemory,
  ): ArrayBuffer | undefined;
  /** The strings that `codes` stand for in a dictionary. Declines when they take more than `mostBytes`. */
  dictionaryGather(
    codes: Int32Array,
    offsets: Int32Array,
    data: Uint8Array,
    mostBytes: number,
    memory?: BlockMemory,
  ): DecodedStrings | undefined;
}

/** Those that only writing needs. */
export interface EncodeKernels {
  /** The LZ4 block of `input`, as the reference implementation writes it. */
  lz4Compress(input: Uint8Array): Uint8Array | undefined;
  /** The raw Snappy stream of `input`, as Snappy 1.1.9 writes it. */
  snappyCompress(input: Uint8Array): Uint8Array | undefined;
  /**
   * Entries of a prefix block for strings `from` to `to`, as many as begin before the entries take more than `state.room`
   * bytes. The result is valid until the next call of any kernel.
   */
  prefixEncode(
    offsets: Int32Array,
    data: Uint8Array,
    from: number,
    to: number,
    state: PrefixState,
  ): PrefixEntries | undefined;
  /**
   * The bits of `count` elements (a multiple of 8) of `size` bytes (1, 2, 4, 8 or 16) at `elements[elementsStart]`, bit `b` of all of
   * them in row `b`, to `rows[rowsStart]`.
   */
  bitTranspose(
    elements: Uint8Array,
    elementsStart: number,
    rows: Uint8Array,
    rowsStart: number,
    size: number,
    count: number,
  ): boolean;
  /**
   * The chunk stream of the first `count` elements (a multiple of 8) of `size` bytes of `input`. The result is valid until the
   * next call of any kernel.
   */
  bitshuffleEncode(input: Uint8Array, count: number, size: number): Uint8Array | undefined;
  /**
   * The chunk stream of the first `count` 32-bit words (a multiple of 8) of `input`, in as few bytes each (1, 2 or 4) as the
   * largest needs. The result is valid until the next call of any kernel.
   */
  bitshuffleEncodeWords(input: Uint8Array, count: number): ShuffledWords | undefined;
  /** The group varint sequence of the first `count` words. The result is valid until the next call of any kernel. */
  writeOffsets(words: Int32Array, count: number): Uint8Array | undefined;
  /** The values, of `width` bytes each (1, 2, 4, 8 or 16), of the rows in `from..to` that `validity` marks. */
  gather(
    values: Uint8Array,
    validity: Uint8Array,
    from: number,
    to: number,
    width: number,
    memory?: BlockMemory,
  ): ArrayBuffer | undefined;
  /** A new table for the words of a dictionary. */
  wordTable(): WordTable | undefined;
}

/** Strings in Arrow's layout. */
export interface DecodedStrings {
  /** One more than there are strings; the first is 0. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** Codewords of a dictionary. */
export interface DecodedCodes {
  /** As many as there are elements in the stream, padding included. */
  readonly codes: Int32Array;
  /** The largest of them, unsigned. */
  readonly largest: number;
}

/** Words in as few bytes as the largest needs. */
export interface ShuffledWords {
  /** Bytes of each. */
  readonly size: number;
  readonly stream: Uint8Array;
}

/** Where a prefix block under construction stands. */
export interface PrefixState {
  /** The last value. */
  readonly last: Uint8Array;
  /** Bytes of the entries so far. */
  readonly entries: number;
  /** Bytes that entries may still take before the block is full. */
  readonly room: number;
  /** Whether there is no entry yet. */
  readonly isFirst: boolean;
  /** Entries before the next restart. */
  readonly untilRestart: number;
  readonly interval: number;
}

/** Strings as entries of a prefix block. */
export interface PrefixEntries {
  /** Strings taken; at least one of a non-empty range. */
  readonly taken: number;
  /** Their entries. */
  readonly bytes: Uint8Array;
  /** Positions of restarts, counted from the first entry of the block. */
  readonly restarts: Uint32Array;
}

/** Which version of the hot loops is wanted: `auto` is SIMD where the machine has it. */
export type KernelChoice = "auto" | "portable" | "simd";
