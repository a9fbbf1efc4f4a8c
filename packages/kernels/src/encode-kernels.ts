/** The hot loops that only writing needs; as those of reading, each method returns the implementation to use. */
import type { BlockMemory, ByteBuilder } from "@cfile/bytes";
import type { BitTransposition, DecodeKernels } from "./decode-kernels.js";
import type { WordLookup, WordStrings } from "./word-table.js";

/** The hot loops of reading and writing. */
export interface Kernels extends DecodeKernels, EncodeKernels {}

/** The hot loops that only writing needs; each method takes the portable implementation and returns the one to use. */
export interface EncodeKernels {
  /** The LZ4 block of `input`, as the reference implementation writes it. */
  lz4Compress(portable: Compress): Compress;
  /** The raw Snappy stream of `input`, as Snappy 1.1.9 writes it. */
  snappyCompress(portable: Compress): Compress;
  /** Encodes entries of a prefix block. */
  prefixEncode(portable: PrefixEncode): PrefixEncode;
  /** Bit `b` of all elements in row `b`. */
  bitTranspose(portable: BitTransposition): BitTransposition;
  /** Encodes the chunk stream of a bitshuffle block. */
  bitshuffleEncode(portable: BitshuffleEncoder): BitshuffleEncoder;
  /** Encodes the offsets of a plain binary block. */
  writeOffsets(portable: WriteOffsets): WriteOffsets;
  /** Copies the values of present rows one behind the other. */
  gather(portable: Gather): Gather;
  /** For one dictionary: to be released at its end. */
  wordLookup(portable: WordLookup): WordLookup;
}

/** Compresses `input`; the result is memory of its own. */
export type Compress = (input: Uint8Array) => Uint8Array;

/** Appends the chunk stream of the first `count` elements (a multiple of 8) of `input`. */
export interface BitshuffleEncoder {
  /**
   * Appends the first `count` elements (a multiple of 8) of `input`.
   *
   * @param size bytes of an element: 1, 2, 4, 8 or 16
   */
  encode(input: Uint8Array, size: number, count: number, out: ByteBuilder): void;
  /**
   * Elements of 32 bits, in as few bytes each (1, 2 or 4) as the largest needs.
   *
   * @returns bytes of each
   */
  encodeWords(input: Uint8Array, count: number, out: ByteBuilder): number;
}

/** Appends the group varint sequence of the first `count` words. */
export type WriteOffsets = (words: Int32Array, count: number, out: ByteBuilder) => void;

/** Rows `from` to `to` of a batch, and which of them are present. */
export interface PresentRows {
  readonly validity: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Rows that are present. */
  readonly count: number;
}

/** The values, of `width` bytes each (1, 2, 4, 8 or 16), of the rows that are present. */
export type Gather = (
  values: Uint8Array,
  rows: PresentRows,
  width: number,
  memory: BlockMemory,
) => ArrayBuffer;

/** A prefix block under construction. */
export interface PrefixEntriesTarget {
  /** The last value. */
  readonly lastValue: Uint8Array;
  /** Bytes of the entries so far. */
  readonly entryBytes: number;
  /** Bytes that entries may take before the block is full. */
  readonly blockSize: number;
  /** Values so far. */
  readonly count: number;
  /** Entries before the next restart. */
  readonly untilRestart: number;
  readonly interval: number;
  /** Takes strings one by one, until the block is full; returns how many. */
  addEach(strings: WordStrings, from: number, to: number): number;
  /** Takes entries of the next strings; returns how many they are. */
  take(entries: PrefixEntries, strings: WordStrings, from: number): number;
}

/** Adds strings `from` to `to`, as many as begin before the block is full; returns how many. */
export type PrefixEncode = (
  target: PrefixEntriesTarget,
  strings: WordStrings,
  from: number,
  to: number,
) => number;

/** Encoded entries of a prefix block. */
export interface PrefixEntries {
  /** Strings taken; at least one of a non-empty range. */
  readonly taken: number;
  /** Their entries. */
  readonly bytes: Uint8Array;
  /** Positions of restarts, counted from the first entry of the block. */
  readonly restarts: Uint32Array;
}
