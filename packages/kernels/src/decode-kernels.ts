/**
 * The hot loops that reading needs.
 *
 * Each has two complete implementations: a portable one, which stands beside the codec it belongs to, and one in WebAssembly SIMD,
 * here. A method takes the portable implementation and returns the one to use, which gives the same values or throws the same error:
 * what SIMD cannot do (input that is bad, too short to be worth a copy, or larger than its memory) it hands to the portable one.
 */
import type { BlockMemory } from "@cfile/bytes";

/** The hot loops of reading; each method takes the portable implementation and returns the one to use. */
export interface DecodeKernels {
  /** CRC-32C of `bytes[start..end)`. */
  crc32c(bytes: Uint8Array, start: number, end: number): number;
  /** Expands an LZ4 block. */
  lz4Decompress(portable: Expand): Expand;
  /** Expands a raw Snappy stream. */
  snappyDecompress(portable: Expand): Expand;
  /** The inverse of `bitTranspose`. */
  bitUntranspose(portable: BitTransposition): BitTransposition;
  /** Decodes the chunk stream of a bitshuffle block. */
  bitshuffleDecode(portable: BitshuffleDecoder): BitshuffleDecoder;
  /** Decodes the offsets of a plain binary block. */
  readOffsets(portable: ReadOffsets): ReadOffsets;
  /** Decodes all entries of a prefix block. */
  prefixDecode(portable: PrefixDecode): PrefixDecode;
  /** Decodes a range of an RLE stream. */
  rleDecode(portable: RleDecode): RleDecode;
  /** Spreads present values over rows, with zeros under null. */
  scatter(portable: Scatter): Scatter;
  /** Copies the strings that codewords stand for. */
  dictionaryGather(portable: DictionaryGather): DictionaryGather;
}

/** Expands `input` to exactly `output`. */
export type Expand = (input: Uint8Array, output: Uint8Array) => void;

/** The first `count` elements (a multiple of 8) of `elementSize` bytes (1, 2, 4, 8 or 16) of `input`, to `output`. */
export type BitTransposition = (
  input: Uint8Array,
  output: Uint8Array,
  elementSize: number,
  count: number,
) => void;

/** The chunk stream of a bitshuffle block: `count` elements (a multiple of 8) in `bytes[start..end)`. */
export interface ShuffledElements {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** In bytes: 1, 2, 4, 8 or 16. */
  readonly elementSize: number;
  /** Chunk by chunk. */
  decodeChunks(output: Uint8Array): void;
}

/** Decodes the chunk stream of a bitshuffle block. */
export interface BitshuffleDecoder {
  /** All elements to `output`. */
  decodeAll(stream: ShuffledElements, output: Uint8Array): void;
  /** All elements, of 1, 2 or 4 bytes, as 32-bit words. */
  decodeWords(stream: ShuffledElements, memory: BlockMemory): DecodedCodes;
}

/**
 * The offsets of a plain binary block: a group varint sequence of `count` values in `bytes[start..)`, never descending,
 * from `first` on and not above `last`.
 */
export interface StoredOffsets {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** The offsets, and `last` behind them. */
export type ReadOffsets = (stored: StoredOffsets, memory: BlockMemory) => Int32Array;

/** A prefix block: `count` entries in `bytes[entriesStart..entriesEnd)`, and behind them the restarts. */
export interface StoredPrefixes {
  readonly bytes: Uint8Array;
  readonly entriesStart: number;
  readonly entriesEnd: number;
  readonly count: number;
  readonly interval: number;
  /** Most bytes that the values may take. */
  readonly maxDecodedBytes: number;
  /** Entry by entry. */
  decodeEntries(from: number, to: number): DecodedStrings;
}

/** All values of a block. */
export type PrefixDecode = (stored: StoredPrefixes, memory: BlockMemory) => DecodedStrings;

/** An RLE stream with a position. */
export interface StoredRuns {
  readonly bytes: Uint8Array;
  /** Bits of a value. */
  readonly width: number;
  /** Moves to a value, counted from the start of the stream. */
  seek(position: number): void;
  /**
   * Passes over `count` values and says where they stand: bytes `start` to `end` of the stream are the runs they are in, and
   * `skipped` values are before them in the first.
   */
  span(count: number): { readonly start: number; readonly end: number; readonly skipped: number };
  /** The next `count` values: integers, or a bitmap of width 1. */
  read(count: number, memory: BlockMemory): ArrayBuffer;
}

/** `count` values from `from` on: integers of `width` 8, 16, 32 or 64 bits, or a bitmap of width 1. */
export type RleDecode = (runs: StoredRuns, from: number, count: number, memory: BlockMemory) => ArrayBuffer;

/**
 * Spreads `values`, of `width` bytes each (1, 2, 4, 8 or 16), over the rows that `validity` marks, as many as there are
 * values; the other rows get zeros.
 */
export type Scatter = (
  values: Uint8Array,
  validity: Uint8Array,
  rows: number,
  width: number,
  memory: BlockMemory,
) => ArrayBuffer;

/** Codewords of rows, some of which may be null. */
export interface CodedRows {
  readonly length: number;
  readonly codes: Int32Array;
  readonly validity: Uint8Array | undefined;
  /** The words that codes stand for. */
  readonly dictionary: DecodedStrings & { readonly length: number };
}

/** The strings of rows, which take at most `mostBytes`; empty ones under null. */
export type DictionaryGather = (rows: CodedRows, mostBytes: number, memory: BlockMemory) => DecodedStrings;

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

/** Which version of the hot loops is wanted: `auto` is SIMD where the machine has it. */
export type KernelChoice = "auto" | "portable" | "simd";
