/**
 * Tags of a cell, `u16 length of type and value, type, value` each: 8 is the cell's time to live in milliseconds, 5 marks the reference
 * to a MOB file, 6 names the table of that file (docs/spec/hbase-table.md#9-mob).
 */
import { corrupt } from "@cfile/bytes";
import type { CellBatch } from "@cfile/hfile";

export const MOB_REFERENCE_TAG = 5;
export const MOB_TABLE_TAG = 6;
const TTL_TAG = 8;

/** The value of the first tag of a type; `undefined` if the cell has none. @throws {CFileError} `E_CORRUPT` for malformed tags */
export function tagValue(batch: CellBatch, index: number, type: number): Uint8Array | undefined {
  if (!batch.layout.tags) {
    return undefined;
  }
  const { data } = batch;
  let at = batch.valueEnd(index) + 2;
  const end = at + (((data[at - 2] as number) << 8) | (data[at - 1] as number));
  while (at < end) {
    const next = at + 2 + (((data[at] as number) << 8) | (data[at + 1] as number));
    if (next > end || next < at + 3) {
      throw corrupt("the tags of a cell do not fit their length", { offset: at, field: "tags" });
    }
    if (data[at + 2] === type) {
      return data.subarray(at + 3, next);
    }
    at = next;
  }
  return undefined;
}

/** The cell's own time to live in milliseconds; `undefined` if it has none. @throws {CFileError} `E_CORRUPT` for malformed tags */
export function cellTtl(batch: CellBatch, index: number): number | undefined {
  const value = tagValue(batch, index, TTL_TAG);
  if (value === undefined) {
    return undefined;
  }
  if (value.length !== 8) {
    throw corrupt("a cell's time to live must have 8 bytes", {
      field: "tags",
      expected: 8,
      actual: value.length,
    });
  }
  return Number(new DataView(value.buffer, value.byteOffset, 8).getBigInt64(0));
}
