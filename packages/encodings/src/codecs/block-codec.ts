/**
 * The interface of block encodings: a decoder, which opens the bytes of a block, and a builder, which produces them.
 * "Block" here is the encoded data of docs/spec/cfile.md#5-encodings: after decompression, without null or array
 * header, and so without nulls.
 */
import type { BlockMemory } from "@cfile/bytes";
import type { DecodeKernels, Kernels } from "@cfile/kernels";
import type { PhysicalType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type { BinaryVector, Vector } from "../types/vector.js";

/** A value in its native form, for searches: 64 and 128 bits as bigint, strings as bytes. */
export type SeekTarget = number | bigint | Uint8Array;

/** The position of a value in a block, or where it would be. */
export interface SeekPosition {
  /** First position whose value is at or after the target; the block's `count` when all are before it. */
  readonly position: number;
  /** Whether the value there equals the target. */
  readonly exact: boolean;
}

/** An opened block. Opening checks the header and every length against the available bytes; `decode` checks what it reads. */
export interface BlockDecoder<V extends Vector = Vector> {
  /** Row ordinal of the block's first row, as stored in the block. */
  readonly ordinal: number;
  /** Number of (non-null) values. */
  readonly count: number;
  /**
   * Values `from` (inclusive) to `to` (exclusive), `0 <= from <= to <= count`; may share memory with the block. Consecutive ranges
   * cost no more than one pass.
   *
   * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED`, with the offset in the block; `E_LIMIT` above `maxDecodedBytes`
   */
  decode(from: number, to: number): V;
  /**
   * Decodes everything and checks what `decode` may skip: trailing bytes, exact ends, padding rules.
   *
   * @throws {CFileError} as `decode`
   */
  check(): void;
  /**
   * First value at or after `target` in a block of ascending values.
   *
   * @throws {CFileError} `E_UNSUPPORTED` for BOOL, FLOAT and DOUBLE; `E_INVALID_ARGUMENT` for another kind of target; as `decode`
   */
  seek(target: SeekTarget): SeekPosition;
}

/** Opens blocks of one type and encoding; throws `E_TRUNCATED` or `E_CORRUPT` when the header does not fit the bytes. */
export type BlockOpener = (bytes: Uint8Array, context: DecodeContext) => BlockDecoder;

/** Default bound on the decoded bytes of a block: 256 MiB. */
export const DEFAULT_MAX_DECODED_BYTES = 256 * 1024 * 1024;

/** Inputs that decoding requires in addition to the bytes of the block. */
export interface DecodeContext {
  /** The file's dictionary; required by dictionary blocks in code mode. */
  readonly dictionary?: BinaryVector | undefined;
  /**
   * Maximum bytes that the values of a bitshuffle block, or of one `decode` of a prefix or RLE block, may take: in these
   * encodings few bytes can stand for many. Default 256 MiB.
   */
  readonly maxDecodedBytes?: number | undefined;
  /** Default: the portable loops. */
  readonly kernels?: DecodeKernels | undefined;
  /** Memory for decoded values. Default: new memory. */
  readonly memory?: BlockMemory | undefined;
}

/**
 * Collects values and encodes them as one block at a time. When a block is cut (docs/spec/cfile.md#42-when-a-block-is-cut) depends
 * on the encoding: some builders accept everything, others stop, and the caller adds the rest after `finish`.
 */
export interface BlockBuilder {
  /** Number of values in the block under construction. */
  readonly count: number;
  /** Whether the block should be cut now. */
  readonly full: boolean;
  /**
   * Takes values from `vector[from..to)` and returns how many: all, or as many as fit. A builder that is not full
   * takes at least one value of a non-empty range.
   *
   * @param whole take all, regardless of the size: the elements of one array cell are never split. Default `false`
   * @throws {CFileError} `E_INVALID_ARGUMENT` for a vector of another type or a range outside it; `E_LIMIT` above 2 GiB of strings
   */
  add(vector: Vector, from: number, to: number, whole?: boolean): number;
  /**
   * The number of leading values of `vector[from..to)` that one `add` can take with the same result as many small calls that check
   * `full` in between. Encodings that check each value return all; others return as many as cannot fill the block.
   */
  unitFree(vector: Vector, from: number, to: number): number;
  /** Whether `finish` hands the block's memory to the caller, with `tail` spare bytes after the block. Default `false`. */
  readonly givesMemory?: boolean | undefined;
  /**
   * The bytes of the block, whose first row is `ordinal`; starts the next block.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` unless `ordinal` is an integer from 0 to 2^32 - 1
   */
  finish(ordinal: number): Uint8Array;
}

/** Options for building blocks. */
export interface BlockBuilderOptions {
  /** Effective block size in bytes (at least 512), docs/spec/cfile.md#42-when-a-block-is-cut. */
  readonly blockSize: number;
  /** Restart interval of prefix blocks. Default 16. */
  readonly restartInterval?: number | undefined;
  /** Default: the portable loops. */
  readonly kernels?: Kernels | undefined;
  /** Whether blocks reuse memory: the result of `finish` is then valid until the next `add`. Default `false`. */
  readonly reuseMemory?: boolean | undefined;
  /** Spare bytes after each block, for builders with `givesMemory`. */
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
export type BuilderFactory = (options: BlockBuilderOptions) => BlockBuilder;

/** The part of an encoding that readers need, and the physical types whose blocks it decodes. */
export interface BlockDecoding<P extends PhysicalType = PhysicalType> {
  readonly encoding: EncodingType;
  readonly types: readonly P[];
  /** Loads the opener of blocks of a type. */
  open(physical: P): Promise<BlockOpener>;
}

/** A row of the table of encodings. */
export interface BlockEncoding<P extends PhysicalType = PhysicalType> extends BlockDecoding<P> {
  /** Loads the builder of blocks of a type. */
  build(physical: P): Promise<BuilderFactory>;
}

/** The first row of a type is its default. */
export type EncodingTable = readonly BlockEncoding[];

/** An {@link EncodingTable}, or the part of it that readers need. */
export type DecodingTable = readonly BlockDecoding[];
