/**
 * The hot loops for reading.
 *
 * Each loop has two complete implementations: a portable one, in the package of its codec, and one in WebAssembly SIMD, here.
 * A method takes the portable implementation and returns the one to use; both return the same values or throw the same error.
 * SIMD calls the portable implementation for input that is bad, too short to be worth a copy, or larger than its memory.
 */
import type { BlockMemory } from "@cfile/bytes";

/** The hot loops for reading; each method takes the portable implementation and returns the one to use. */
export interface DecodeKernels {
  /** CRC-32C of `bytes[start..end)`. */
  crc32c(bytes: Uint8Array, start: number, end: number): number;
  /** Decompresses an LZ4 block. */
  lz4Decompress(portable: Expand): Expand;
  /** Decompresses a raw Snappy stream. */
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
  /** Spreads present values over rows. */
  scatter(portable: Scatter): Scatter;
  /** Copies the strings of codewords. */
  dictionaryGather(portable: DictionaryGather): DictionaryGather;
}

/** Decompresses `input` into exactly `output`. */
export type Expand = (input: Uint8Array, output: Uint8Array) => void;

/** Transposes the first `count` elements (a multiple of 8) of `elementSize` bytes (1, 2, 4, 8 or 16). */
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
  /** The portable implementation of {@link BitshuffleDecoder.decodeAll}. */
  decodeChunks(output: Uint8Array): void;
  /** The portable implementation of {@link BitshuffleDecoder.decodeWords}. */
  decodeWords(memory: BlockMemory): DecodedCodes;
}

/** Decodes the chunk stream of a bitshuffle block. */
export interface BitshuffleDecoder {
  /** Decodes all elements to `output`. */
  decodeAll(stream: ShuffledElements, output: Uint8Array): void;
  /** Decodes all elements, of 1, 2 or 4 bytes, to 32-bit words. */
  decodeWords(stream: ShuffledElements, memory: BlockMemory): DecodedCodes;
}

/**
 * The offsets of a plain binary block: a group varint sequence of `count` values in `bytes[start..)`, which never descend,
 * from `first` to at most `last`.
 */
export interface StoredOffsets {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** Decodes the offsets and appends `last`. */
export type ReadOffsets = (stored: StoredOffsets, memory: BlockMemory) => Int32Array;

/** A prefix block: `count` entries in `bytes[entriesStart..entriesEnd)`, followed by the restarts. */
export interface StoredPrefixes {
  readonly bytes: Uint8Array;
  readonly entriesStart: number;
  readonly entriesEnd: number;
  readonly count: number;
  readonly interval: number;
  /** Maximum size of all values. */
  readonly maxDecodedBytes: number;
  /** Decodes entries `from` to `to` one by one. */
  decodeEntries(from: number, to: number): DecodedStrings;
}

/** Decodes all values of a block. */
export type PrefixDecode = (stored: StoredPrefixes, memory: BlockMemory) => DecodedStrings;

/** An RLE stream with a current position; it ends with `bytes`. */
export interface StoredRuns {
  readonly bytes: Uint8Array;
  /** Bits per value. */
  readonly width: number;
  /** Moves to a value, counted from the start of the stream. */
  seek(position: number): void;
  /** Where the run of the next value starts in `bytes`, and how many values of the run precede that value. */
  nextValue(): { readonly start: number; readonly skipped: number };
  /** Moves `count` values forward, to after the first `used` values of the run that starts at `start`. */
  leap(count: number, start: number, used: number): void;
  /** Reads the next `count` values: integers, or a bitmap for width 1. */
  read(count: number, memory: BlockMemory): ArrayBuffer;
}

/** Decodes `count` values, starting at `from`: integers of 8, 16, 32 or 64 bits, or a bitmap for width 1. */
export type RleDecode = (runs: StoredRuns, from: number, count: number, memory: BlockMemory) => ArrayBuffer;

/**
 * Spreads `values` of `width` bytes (1, 2, 4, 8 or 16) over the rows that `validity` marks, one value for each. The other rows
 * become zero.
 */
export type Scatter = (
  values: Uint8Array,
  validity: Uint8Array,
  rows: number,
  width: number,
  memory: BlockMemory,
) => ArrayBuffer;

/** Codewords per row; some rows may be null. */
export interface CodedRows {
  readonly length: number;
  readonly codes: Int32Array;
  readonly validity: Uint8Array | undefined;
  /** The word of each code. */
  readonly dictionary: DecodedStrings & { readonly length: number };
}

/** Copies the strings of rows, at most `maxBytes` in total; null rows are empty. */
export type DictionaryGather = (rows: CodedRows, maxBytes: number, memory: BlockMemory) => DecodedStrings;

/** Strings in Arrow's layout. */
export interface DecodedStrings {
  /** String count + 1 offsets; the first is 0. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** Codewords of a dictionary. */
export interface DecodedCodes {
  /** One per element of the stream, padding included. */
  readonly codes: Int32Array;
  /** The largest code, unsigned. */
  readonly largest: number;
}

/** Which implementation of the hot loops to use; `auto` is SIMD where the machine supports it. */
export type KernelChoice = "auto" | "portable" | "simd";
