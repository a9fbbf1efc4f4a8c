/**
 * Tags of a cell, `u16 length of type and value, type, value` each: 8 is the cell's time to live in milliseconds, 5 marks the reference
 * to a MOB file, 6 has the table of that file (docs/spec/hbase-table.md#9-mob).
 */
import type { CellBatch } from "@cfile/hfile";

export const MOB_REFERENCE_TAG = 5;
export const MOB_TABLE_TAG = 6;
const TTL_TAG = 8;

/** The value of the first tag of a type; `undefined` if the cell has none. */
export function tagValue(batch: CellBatch, index: number, type: number): Uint8Array | undefined {
  if (!batch.layout.tags) {
    return undefined;
  }
  const { data } = batch;
  let at = batch.valueEnd(index) + 2;
  const end = at + (((data[at - 2] as number) << 8) | (data[at - 1] as number));
  while (at + 3 <= end) {
    const next = at + 2 + (((data[at] as number) << 8) | (data[at + 1] as number));
    if (next > end || next < at + 3) {
      return undefined;
    }
    if (data[at + 2] === type) {
      return data.subarray(at + 3, next);
    }
    at = next;
  }
  return undefined;
}

/** The cell's own time to live in milliseconds; `undefined` if it has none. */
export function cellTtl(batch: CellBatch, index: number): number | undefined {
  const value = tagValue(batch, index, TTL_TAG);
  return value?.length === 8
    ? Number(new DataView(value.buffer, value.byteOffset, 8).getBigInt64(0))
    : undefined;
}
