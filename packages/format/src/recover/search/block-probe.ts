/** Tests whether bytes are a data block, by decoding all rows. */
import { corrupt, type Limits, mismatch, overLimit } from "@cfile/bytes";
import { DATA_TYPES, physicalWidth } from "@cfile/encodings";
import { openBitshuffleBlock } from "@cfile/encodings/bitshuffle";
import { parseArrayBlock, parseNullableBlock } from "@cfile/encodings/headers";
import { RleDecoder } from "@cfile/encodings/rle";
import { u32le } from "../../blocks/block-wrapper.js";
import type { BlockColumn, DataBlockOpener } from "../../blocks/data-block.js";
import { MAX_ROWS } from "../../file/footer.js";

/** A column whose blocks are searched for, with their opener. */
export interface SearchedColumn extends BlockColumn {
  readonly openContent: DataBlockOpener;
}

export interface RowSpan {
  readonly firstRow: number;
  readonly rows: number;
}

/** Number of rows decoded at a time. */
const SLICE = 16384;
/** Blocks with more rows are not decoded completely. */
const DECODED = 1 << 22;
/** Length of an RLE block's header: value count and first row. */
const RLE_HEADER = 8;
const MODE_CODES = 1;
const MODE_LENGTH = 4;

/** The rows of a data block. @throws {CFileError} of any code when the bytes are not a data block of the column */
export function probeDataBlock(bytes: Uint8Array, column: SearchedColumn, limits: Limits): RowSpan {
  const block = column.openContent(bytes, column, limits);
  if (block.rows > limits.maxBlockRows) {
    throw overLimit("row count of the block", "maxBlockRows", limits, block.rows, { field: "row count" });
  }
  block.check();
  // Blocks with more rows than `DECODED` consist of a few runs, which `check` has decoded.
  for (let row = block.rows > DECODED ? block.rows - SLICE : 0; row < block.rows; row += SLICE) {
    block.decode(row, Math.min(block.rows, row + SLICE));
  }
  return checkedSpan(block);
}

/** Whether the block consists of dictionary codes. @throws {CFileError} when its header is damaged */
export function isCodeBlock(bytes: Uint8Array, column: BlockColumn, limits: Limits): boolean {
  const { data } = encodedValues(bytes, column, limits);
  return data.length > MODE_LENGTH && u32le(data, 0) === MODE_CODES;
}

/**
 * The rows of a block of codes ({@link isCodeBlock}) whose dictionary is lost.
 *
 * @throws {CFileError} when the codes are damaged
 */
export function probeCodeBlock(bytes: Uint8Array, column: BlockColumn, limits: Limits): RowSpan {
  const { rows, values, data } = encodedValues(bytes, column, limits);
  const codes = openBitshuffleBlock("UINT32", data, MODE_LENGTH, column);
  codes.check();
  if (values !== undefined && values !== codes.count) {
    throw mismatch("bitmap and codes differ in their count", values, codes.count, { field: "value count" });
  }
  return checkedSpan({ firstRow: codes.ordinal, rows: rows ?? codes.count });
}

/**
 * Whether the runs of an RLE block end with its bytes, as in every written block. Decoders do not check this, but blocks of
 * other encodings look like runs followed by other bytes.
 *
 * @throws {CFileError} for invalid runs
 */
export function endsWithItsRuns(bytes: Uint8Array, column: BlockColumn, limits: Limits): boolean {
  const { data } = encodedValues(bytes, column, limits);
  const { physical } = DATA_TYPES[column.type];
  const width = physical === "BOOL" ? 1 : 8 * physicalWidth(physical);
  const runs = new RleDecoder(data, RLE_HEADER, data.length, width);
  runs.skip(u32le(data, 0));
  return runs.atEnd;
}

/** The bytes after the null or array header. */
function encodedValues(
  bytes: Uint8Array,
  column: BlockColumn,
  limits: Limits,
): { rows?: number; values?: number; data: Uint8Array } {
  if (column.array) {
    const { rows, nonNullElements, dataStart } = parseArrayBlock(bytes, limits);
    return { rows, values: nonNullElements, data: bytes.subarray(dataStart) };
  }
  if (column.nullable) {
    const { rows, nonNull, dataStart } = parseNullableBlock(bytes, limits);
    return { rows, values: nonNull, data: bytes.subarray(dataStart) };
  }
  return { data: bytes };
}

function checkedSpan({ firstRow, rows }: RowSpan): RowSpan {
  if (rows === 0) {
    throw corrupt("data block without rows", { field: "row count" });
  }
  if (firstRow + rows > MAX_ROWS) {
    throw mismatch("too many rows for a file", `<= ${MAX_ROWS}`, firstRow + rows, { field: "ordinal" });
  }
  return { firstRow, rows };
}
