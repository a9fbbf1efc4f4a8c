/**
 * The facts that a merge needs about every cell of a block, found in one pass: whether the cell begins a row or a column of its file,
 * and whether it is an ordinary value.
 */
import { corrupt } from "@cfile/bytes";
import { type CellBatch, TIMESTAMP_AND_TYPE } from "@cfile/hfile";

/** The row differs from that of the previous cell in the block. */
export const NEW_ROW = 1;
/** Row or column differs from that of the previous cell. */
const NEW_COLUMN = 2;
/** The cell is the only one of its column in the block, has a value, and a timestamp from 0 to 2^63 - 2^56 - 1: nothing unusual. */
export const ORDINARY = 4;

/** The cell may be ordinary. Only the next cell shows whether another one follows in the column. */
const MAY_BE_ORDINARY = 8;
const PUT = 4;
const HIGH_TIMESTAMP = 0x7f;

/**
 * The bits of each cell. The first cell of a block has neither {@link NEW_ROW} nor `NEW_COLUMN`, and the last one is not
 * {@link ORDINARY}, because the cells before and after the block are unknown.
 * @param family the name that all cells must have
 * @param path path of the file, for errors
 * @throws {CFileError} `E_CORRUPT` for cells of another family, which would be returned as cells of this one
 */
export function cellSteps(
  { data, view, rowStarts, length }: CellBatch,
  family: Uint8Array,
  path: string,
): Uint8Array {
  const steps = new Uint8Array(length);
  const familyLength = family.length;
  let previousRow = 0;
  let previousRowEnd = 0;
  let previousEnd = 0;
  let previousStep = 0;
  for (let i = 0; i < length; i++) {
    const row = rowStarts[i] as number;
    const rowEnd = row + view.getUint16(row - 2);
    const qualifier = rowEnd + 1 + familyLength;
    const end = row - 2 + view.getInt32(row - 10) - TIMESTAMP_AND_TYPE;
    if (data[rowEnd] !== familyLength || !isSame(view, rowEnd + 1, qualifier, family)) {
      throw corrupt("a cell belongs to a different family", { path, offset: rowEnd, field: "family" });
    }
    let step = data[end + 8] === PUT && (data[end] as number) < HIGH_TIMESTAMP ? MAY_BE_ORDINARY : 0;
    if (i > 0) {
      if (!isEqual(view, previousRow, previousRowEnd, row, rowEnd)) {
        step |= NEW_ROW | NEW_COLUMN;
      } else if (!isEqual(view, previousRowEnd + 1 + familyLength, previousEnd, qualifier, end)) {
        step |= NEW_COLUMN;
      }
      const isOnly = previousStep & step & NEW_COLUMN;
      steps[i - 1] = isOnly !== 0 ? previousStep | ((previousStep & MAY_BE_ORDINARY) >> 1) : previousStep;
    }
    previousStep = step;
    previousRow = row;
    previousRowEnd = rowEnd;
    previousEnd = end;
  }
  steps[length - 1] = previousStep;
  return steps;
}

/** Whether two ranges have the same bytes. In sorted order, most differences are at the end, which is compared first. */
function isEqual(view: DataView, left: number, leftEnd: number, right: number, rightEnd: number): boolean {
  const length = leftEnd - left;
  if (rightEnd - right !== length) {
    return false;
  }
  let at = length;
  for (; at >= 4; at -= 4) {
    if (view.getInt32(left + at - 4) !== view.getInt32(right + at - 4)) {
      return false;
    }
  }
  for (; at > 0; at--) {
    if (view.getUint8(left + at - 1) !== view.getUint8(right + at - 1)) {
      return false;
    }
  }
  return true;
}

function isSame(view: DataView, start: number, end: number, bytes: Uint8Array): boolean {
  for (let i = start; i < end; i++) {
    if (view.getUint8(i) !== bytes[i - start]) {
      return false;
    }
  }
  return true;
}
