/** Rows to look up, packed, with the length of the prefix that each shares with the previous one. */
import { invalidArgument } from "@cfile/bytes";
import { copyRange, type PackedBytes } from "./cell-batch.js";
import { sharedRows, viewOf } from "./cell-search.js";

export class SortedRows {
  readonly length: number;
  readonly data: Uint8Array;
  /** Row `i` is `data[offsets[i]..offsets[i + 1])`. */
  readonly offsets: Uint32Array;
  /** Length of the common prefix of rows `i` and `i - 1`; 0 for the first row. */
  readonly shared: Int32Array;

  /** @throws {CFileError} `E_INVALID_ARGUMENT` if rows or offsets are not in ascending order */
  constructor(rows: readonly (Uint8Array | string)[] | PackedBytes) {
    const { offsets, data } = "data" in rows ? checked(rows) : packed(rows);
    this.offsets = offsets;
    this.data = data;
    this.length = offsets.length - 1;
    this.shared = new Int32Array(this.length);
    const view = viewOf(data);
    for (let i = 1; i < this.length; i++) {
      const start = offsets[i] as number;
      const shared = sharedRows(view, offsets[i - 1] as number, start, start, offsets[i + 1] as number);
      if (shared < 0) {
        const reason = `row ${i} precedes the previous row: rows must be sorted by their bytes`;
        throw invalidArgument(reason, { field: "rows", actual: i });
      }
      this.shared[i] = shared;
    }
  }

  row(index: number): Uint8Array {
    return this.data.subarray(this.offsets[index], this.offsets[index + 1]);
  }
}

function checked(rows: PackedBytes): PackedBytes {
  const { offsets, data } = rows;
  for (let i = 0; i < offsets.length; i++) {
    if ((offsets[i] as number) < (offsets[i - 1] ?? 0) || (offsets[i] as number) > data.length) {
      const reason = `offset ${i} of the rows precedes the previous one or is out of range`;
      throw invalidArgument(reason, { field: "rows", actual: offsets[i] });
    }
  }
  if (offsets.length === 0) {
    throw invalidArgument("rows must have one more offset than there are rows", { field: "rows" });
  }
  return rows;
}

function packed(rows: readonly (Uint8Array | string)[]): PackedBytes {
  const encoder = new TextEncoder();
  const offsets = new Uint32Array(rows.length + 1);
  // A UTF-16 unit takes at most three bytes in UTF-8.
  const capacity = rows.reduce((sum, row) => sum + (typeof row === "string" ? 3 : 1) * row.length, 0);
  if (capacity > 0xffff_ffff) {
    throw invalidArgument("the rows exceed 4 GiB", { field: "rows" });
  }
  const data = new Uint8Array(capacity);
  let end = 0;
  for (const [i, row] of rows.entries()) {
    if (typeof row === "string") {
      end += encoder.encodeInto(row, data.subarray(end)).written;
    } else {
      copyRange(row, 0, row.length, data, end);
      end += row.length;
    }
    offsets[i + 1] = end;
  }
  return { offsets, data: data.subarray(0, end) };
}
