/**
 * What every block encoding offers: a decoder that opens the bytes of a block, and a builder that makes them.
 * "Block" here is the encoded data of docs/spec/cfile.md#5-encodings: after decompression, without null or array
 * header, and so without nulls.
 */
import type { BlockMemory } from "@cfile/bytes";
import type { DecodeKernels, Kernels } from "@cfile/kernels";
import type { PhysicalType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type { BinaryVector, Vector } from "../types/vector.js";

/** A value in its native form, for seeks: 64 and 128 bits as bigint, strings as bytes. */
export type SeekTarget = number | bigint | Uint8Array;

/** Where a value is in a block, or would be. */
export interface SeekPosition {
  /** First position whose value is at or after the target; the block's `count` when all are before it. */
  readonly position: number;
  /** Whether the value there equals the target. */
  readonly exact: boolean;
}

/**
 * An opened block. Opening checks the header and every length against the bytes at hand; `decode` checks what
 * it touches. Malformed bytes are a `CFileError` (`E_CORRUPT` or `E_TRUNCATED`) with the offset inside the block.
 */
export interface BlockDecoder {
  /** Row ordinal of the block's first row, as stored in the block. */
  readonly ordinal: number;
  /** Number of (non-null) values. */
  readonly count: number;
  /**
   * Values `from` (inclusive) to `to` (exclusive), `0 <= from <= to <= count`. The result may share memory with
   * the block. Work is in proportion to the range wherever the encoding allows it; consecutive ranges never cost
   * more than one pass.
   */
  decode(from: number, to: number): Vector;
  /** Decodes everything and checks what `decode` may skip: trailing bytes, exact ends, padding rules. */
  check(): void;
  /** First value at or after `target` in a block whose values ascend. BOOL blocks: `E_UNSUPPORTED`. */
  seek(target: SeekTarget): SeekPosition;
}

/** Opens blocks of one type and encoding. */
export type BlockOpener = (bytes: Uint8Array, context: DecodeContext) => BlockDecoder;

/** Bound on what a block may decode to unless the caller sets another: 256 MiB. */
export const DEFAULT_MAX_DECODED_BYTES = 256 * 1024 * 1024;

/** What decoding needs beside the bytes of the block. */
export interface DecodeContext {
  /** The file's dictionary; needed by dictionary blocks in code mode. */
  readonly dictionary?: BinaryVector | undefined;
  /**
   * Most bytes that the values of a bitshuffle block, or of one `decode` of a prefix or RLE block, may take: these
   * encodings can make much out of little. Default 256 MiB.
   */
  readonly maxDecodedBytes?: number | undefined;
  /** The loops to use. Default: the portable ones. */
  readonly kernels?: DecodeKernels | undefined;
  /** Where decoded values go. Default: memory of their own. */
  readonly memory?: BlockMemory | undefined;
}

/**
 * Collects values and encodes them as one block at a time.
 *
 * Where a block is cut follows docs/spec/cfile.md#42-when-a-block-is-cut, which depends on the encoding: some builders take
 * everything offered, others stop. The caller offers the rest again after cutting the block.
 */
export interface BlockBuilder {
  /** Values in the block under construction. */
  readonly count: number;
  /** Whether the block should be cut now. */
  readonly full: boolean;
  /**
   * Takes values from `vector[from..to)` and says how many: all, or as many as fit. A builder that is not full
   * takes at least one of a non-empty range.
   *
   * `whole`: take all, whatever the size: the elements of one array cell are never split.
   */
  add(vector: Vector, from: number, to: number, whole?: boolean): number;
  /**
   * How many of `vector[from..to)`, from `from` on, can be handed over by one `add` with the same result as in small
   * units with a look at `full` after each: all of them where the encoding looks at every value itself, else as many as
   * surely do not fill the block.
   */
  unitFree(vector: Vector, from: number, to: number): number;
  /**
   * Whether `finish` gives blocks in memory that nobody else has, with `tail` more bytes behind them: where blocks are large
   * and not compressed, they need not be copied to be stored. Default `false`.
   */
  readonly givesMemory?: boolean | undefined;
  /** The bytes of the block, whose first row is `ordinal`. The builder then starts the next block. */
  finish(ordinal: number): Uint8Array;
}

/** How blocks are built, and when they are full. */
export interface BlockBuilderOptions {
  /** Effective block size in bytes (at least 512), docs/spec/cfile.md#42-when-a-block-is-cut. */
  readonly blockSize: number;
  /** Restart interval of prefix blocks. Default 16. */
  readonly restartInterval?: number | undefined;
  /** The loops to use. Default: the portable ones. */
  readonly kernels?: Kernels | undefined;
  /**
   * Whether blocks share memory: what `finish` gives is then valid only until something is added again. Default `false`.
   */
  readonly reuseMemory?: boolean | undefined;
  /**
   * Bytes of room behind each block, for builders that `giveMemory`.
   */
  readonly tail?: number | undefined;
}

/** A dictionary builder also makes the file's dictionary block. */
export interface DictionaryBlockBuilder extends BlockBuilder {
  /** The bytes of the dictionary block: plain binary, ordinal 0. */
  finishDictionary(): Uint8Array;
}

/** Whether the builder also makes a dictionary block. */
export function isDictionaryBuilder(builder: BlockBuilder): builder is DictionaryBlockBuilder {
  return "finishDictionary" in builder;
}

/** Makes builders of blocks of one type and encoding. */
export type BuilderFactory = (options: BlockBuilderOptions) => BlockBuilder | DictionaryBlockBuilder;

/** An encoding as reading needs it, and the physical types whose blocks it reads. */
export interface BlockDecoding<P extends PhysicalType = PhysicalType> {
  readonly encoding: EncodingType;
  readonly types: readonly P[];
  /** Loads what opens blocks of a type. */
  open(physical: P): Promise<BlockOpener>;
}

/** A row of the table of encodings. */
export interface BlockEncoding<P extends PhysicalType = PhysicalType> extends BlockDecoding<P> {
  /** Loads what builds blocks of a type. */
  build(physical: P): Promise<BuilderFactory>;
}

/** The first row of a type is its default. */
export type EncodingTable = readonly BlockEncoding[];

/** An {@link EncodingTable}, or the part of it that reading needs. */
export type DecodingTable = readonly BlockDecoding[];
