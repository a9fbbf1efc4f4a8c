/** Whether bytes are a data block: nothing is believed before every row of it was decoded. */
import { CFileError, corrupt, type Limits } from "@cfile/bytes";
import { DATA_TYPES, physicalWidth } from "@cfile/encodings";
import { openBitshuffleBlock } from "@cfile/encodings/bitshuffle";
import { parseArrayBlock, parseNullableBlock } from "@cfile/encodings/headers";
import { RleDecoder } from "@cfile/encodings/rle";
import type { BlockColumn, DataBlockOpener } from "../../blocks/data-block.js";
import { MAX_ROWS } from "../../file/footer.js";

/** A column whose blocks are searched for, with what opens them. */
export interface SearchedColumn extends BlockColumn {
  readonly openContent: DataBlockOpener;
}

export interface RowSpan {
  readonly firstRow: number;
  readonly rows: number;
}

/** Rows decoded at a time. */
const SLICE = 16384;
/** Blocks of more rows are not decoded whole. */
const DECODED = 1 << 22;
/** Value count and first row of an RLE block. */
const RLE_HEADER = 8;
const MODE_CODES = 1;
const MODE_LENGTH = 4;

/** @throws CFileError as the decoders do: this is no data block of the column */
export function probeDataBlock(bytes: Uint8Array, column: SearchedColumn, limits: Limits): RowSpan {
  const block = column.openContent(bytes, column, limits);
  if (block.rows > limits.maxBlockRows) {
    throw new CFileError("E_LIMIT", `a block of ${block.rows} rows, maxBlockRows is ${limits.maxBlockRows}`, {
      field: "row count",
      expected: limits.maxBlockRows,
      actual: block.rows,
    });
  }
  block.check();
  // So many rows come from few runs, which `check` has passed.
  for (let row = block.rows > DECODED ? block.rows - SLICE : 0; row < block.rows; row += SLICE) {
    block.decode(row, Math.min(block.rows, row + SLICE));
  }
  return checkedSpan(block);
}

/** Whether the block consists of codes of a dictionary; `bytes` as {@link probeDataBlock} takes them. */
export function isCodeBlock(bytes: Uint8Array, column: BlockColumn, limits: Limits): boolean {
  const { data } = encodedValues(bytes, column, limits);
  return data.length > MODE_LENGTH && u32le(data) === MODE_CODES;
}

/**
 * The rows of a block of codes whose dictionary is lost.
 *
 * @throws CFileError when it is none
 */
export function probeCodeBlock(bytes: Uint8Array, column: BlockColumn, limits: Limits): RowSpan {
  const { rows, values, data } = encodedValues(bytes, column, limits);
  if (data.length <= MODE_LENGTH || u32le(data) !== MODE_CODES) {
    throw corrupt("no block of codes", { offset: 0, field: "mode" });
  }
  const codes = openBitshuffleBlock("UINT32", data, MODE_LENGTH, column);
  codes.check();
  if (values !== undefined && values !== codes.count) {
    throw corrupt(`${values} values are marked present, the block encodes ${codes.count}`, {
      field: "value count",
      expected: values,
      actual: codes.count,
    });
  }
  return checkedSpan({ firstRow: codes.ordinal, rows: rows ?? codes.count });
}

/**
 * Whether the runs of an RLE block end with its bytes, as those of every writer do. Decoders do not ask for it; but other encodings
 * look like runs of which something is left over.
 *
 * @throws CFileError for runs that are none
 */
export function endsWithItsRuns(bytes: Uint8Array, column: BlockColumn, limits: Limits): boolean {
  const { data } = encodedValues(bytes, column, limits);
  const { physical } = DATA_TYPES[column.type];
  const width = physical === "BOOL" ? 1 : 8 * physicalWidth(physical);
  const runs = new RleDecoder(data, RLE_HEADER, data.length, width);
  runs.skip(u32le(data));
  return runs.atEnd;
}

/** What stands behind the null or array header. */
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
    throw corrupt("a data block without rows", { field: "row count" });
  }
  if (firstRow + rows > MAX_ROWS) {
    throw new CFileError(
      "E_CORRUPT",
      `rows ${firstRow} to ${firstRow + rows} are more than a file can have`,
      {
        field: "ordinal",
        expected: MAX_ROWS,
        actual: firstRow + rows,
      },
    );
  }
  return { firstRow, rows };
}

function u32le(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}
