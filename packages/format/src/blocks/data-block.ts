/**
 * A data block as rows: null or array header (docs/spec/cfile.md#41-layouts) around the encoded values.
 *
 * Opening a block checks that its headers are consistent; rows are decoded on demand, so that reading one row decodes only
 * the part of the block that it requires.
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

/** The properties of a column that reading one of its blocks requires. */
export interface BlockColumn {
  readonly type: DataType;
  /** Never AUTO. */
  readonly encoding: EncodingType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly dictionary: BinaryVector | undefined;
  /** Default: the portable kernels. */
  readonly kernels?: DecodeKernels | undefined;
  /** Memory for decoded values. Default: new memory. */
  readonly memory?: BlockMemory | undefined;
}

/** Opens the content of a data block (after unwrapping). */
export type DataBlockOpener = (bytes: Uint8Array, column: BlockColumn, limits: Limits) => DataBlock;

/** An opened data block: its rows, decoded on demand. */
export interface DataBlock {
  /** Row number of the first row, as stored in the block. */
  readonly firstRow: number;
  /** Rows, nulls included; at least 1. */
  readonly rows: number;
  /** Rows that are null. */
  readonly nulls: number;
  /** Approximate bytes that the block takes in memory once decoded. */
  readonly memory: number;
  /** Rows `from` (inclusive) to `to` (exclusive), counted from the start of the block. */
  decode(from: number, to: number): ColumnBatch;
  /** Decodes and checks the whole block, including what `decode` may skip. */
  check(): void;
  /** First row at or after `target`; only for blocks of sorted columns without nulls. */
  seek(target: SeekTarget): SeekPosition;
}
