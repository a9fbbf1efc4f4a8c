/**
 * A data block as rows: null or array header (docs/spec/cfile.md#41-layouts) around the encoded values.
 *
 * Opening checks the headers against each other; rows are decoded on demand, so that one row of a large block
 * costs no more than the part of the block it needs.
 */
import type { BlockMemory, Limits } from "@cfile/bytes";
import type {
  BinaryVector,
  ColumnBatch,
  DataType,
  EncodingType,
  SeekPosition,
  SeekTarget,
} from "@cfile/encodings";
import type { DecodeKernels } from "@cfile/kernels";

/** What must be known of the column to read a block of it. */
export interface BlockColumn {
  readonly type: DataType;
  /** Never AUTO. */
  readonly encoding: EncodingType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly dictionary: BinaryVector | undefined;
  /** A faster way to the same values, where there is one. */
  readonly kernels?: DecodeKernels | undefined;
  /** Where decoded values go. Default: memory of their own. */
  readonly memory?: BlockMemory | undefined;
}

/** Opens the content of a data block (after unwrapping). */
export type DataBlockOpener = (bytes: Uint8Array, column: BlockColumn, limits: Limits) => DataBlock;

/** An opened data block: its rows, decoded when they are asked for. */
export interface DataBlock {
  /** Row number of the first row, as stored in the block. */
  readonly firstRow: number;
  /** Rows, nulls included; at least 1. */
  readonly rows: number;
  /** Rows that are null. */
  readonly nulls: number;
  /** About how many bytes the opened block keeps in memory once decoded. */
  readonly memory: number;
  /** Rows `from` to `to`, counted from the start of the block. */
  decode(from: number, to: number): ColumnBatch;
  /** Decodes and checks the whole block, the parts that `decode` may skip included. */
  check(): void;
  /** First row at or after `target`; blocks of sorted columns without nulls only. */
  seek(target: SeekTarget): SeekPosition;
}
