/** The hot loops for writing; like those for reading, each method returns the implementation to use. */
import type { BlockMemory, ByteBuilder } from "@cfile/bytes";
import type { BitTransposition, DecodeKernels } from "./decode-kernels.js";
import type { WordLookup, WordStrings } from "./word-table.js";

/** The hot loops for reading and writing. */
export interface Kernels extends DecodeKernels, EncodeKernels {}

/** The hot loops that only writing needs; each method takes the portable implementation and returns the one to use. */
export interface EncodeKernels {
  /** Compresses to an LZ4 block, byte-identical to the reference implementation. */
  lz4Compress(portable: Compress): Compress;
  /** Compresses to a raw Snappy stream, byte-identical to Snappy 1.1.9. */
  snappyCompress(portable: Compress): Compress;
  /** Compresses to a raw Snappy stream in fewer steps, byte-identical to the portable implementation. */
  snappyCompressFast(portable: Compress): Compress;
  /** Encodes entries of a prefix block. */
  prefixEncode(portable: PrefixEncode): PrefixEncode;
  /** Puts bit `b` of all elements into row `b`. */
  bitTranspose(portable: BitTransposition): BitTransposition;
  /** Encodes the chunk stream of a bitshuffle block. */
  bitshuffleEncode(portable: BitshuffleEncoder): BitshuffleEncoder;
  /** Encodes the offsets of a plain binary block. */
  writeOffsets(portable: WriteOffsets): WriteOffsets;
  /** Copies the values of present rows, back to back. */
  gather(portable: Gather): Gather;
  /** Finds the words of one dictionary. Release it when the dictionary is complete. */
  wordLookup(portable: WordLookup): WordLookup;
}

/** Compresses `input`, to memory of `memory` if that is given and supported, otherwise to new memory. */
export type Compress = (input: Uint8Array, memory?: BlockMemory) => Uint8Array;

/** Encodes the chunk stream of a bitshuffle block. */
export interface BitshuffleEncoder {
  /**
   * Appends the first `count` elements (a multiple of 8) of `input`.
   *
   * @param size bytes per element: 1, 2, 4, 8 or 16
   */
  encode(input: Uint8Array, size: number, count: number, out: ByteBuilder): void;
  /**
   * Appends 32-bit elements in 1, 2 or 4 bytes each, depending on the largest.
   *
   * @returns bytes per element
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
  /** Number of present rows. */
  readonly count: number;
}

/** Copies the values, of `width` bytes each (1, 2, 4, 8 or 16), of present rows. */
export type Gather = (
  values: Uint8Array,
  rows: PresentRows,
  width: number,
  memory: BlockMemory,
) => ArrayBuffer;

/** A prefix block under construction. */
export interface PrefixEntriesTarget {
  readonly lastValue: Uint8Array;
  /** Bytes of the entries so far. */
  readonly entryBytes: number;
  /** The block is full when its entries take more bytes than this. */
  readonly blockSize: number;
  /** Number of values so far. */
  readonly count: number;
  /** Number of entries before the next restart. */
  readonly untilRestart: number;
  readonly interval: number;
  /** Adds strings one by one until the block is full; returns their number. */
  addEach(strings: WordStrings, from: number, to: number): number;
  /** Takes the entries of the next strings; returns their number. */
  take(entries: PrefixEntries, strings: WordStrings, from: number): number;
}

/** Adds strings `from` to `to` until the block is full; returns their number. */
export type PrefixEncode = (
  target: PrefixEntriesTarget,
  strings: WordStrings,
  from: number,
  to: number,
) => number;

/** Encoded entries of a prefix block. */
export interface PrefixEntries {
  /** Number of strings; at least one of a non-empty range. */
  readonly taken: number;
  readonly bytes: Uint8Array;
  /** Positions of restarts, relative to the first entry of the block. */
  readonly restarts: Uint32Array;
}
