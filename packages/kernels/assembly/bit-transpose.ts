// Bit transposition and its inverse (docs/spec/cfile.md#58-bitshuffle): bit `b` of all `count` elements becomes one row of
// `count / 8` bytes. 128 elements are transposed at a time, with their planes as an intermediate step.
import { planeToRows, rowsToPlane } from "./bit-matrices";
import { elementsToPlanes, planesToElements } from "./planes";

const PLANES: usize = memory.data(2048, 16);
// The rows of the last elements if they are fewer than 128, 16 bytes per row.
const ROWS: usize = memory.data(2048, 16);

/**
 * Transposes `count` elements (a multiple of 8) of `size` bytes at `elements` to the same number of bytes at `rows`. Reads up to 120
 * elements past the last.
 */
export function bitTranspose(elements: usize, count: usize, size: usize, rows: usize): void {
  const row = count >> 3;
  for (let i: usize = 0; i < row; i += 16) {
    const isWhole = row - i >= 16;
    const to = isWhole ? rows + i : ROWS;
    const step = isWhole ? row : 16;
    const from = elements + 8 * i * size;
    // Elements of one byte are their own plane.
    const planes = size == 1 ? from : PLANES;
    if (size > 1) {
      elementsToPlanes(from, planes, size);
    }
    for (let plane: usize = 0; plane < size; plane++) {
      planeToRows(planes + 128 * plane, to + 8 * plane * step, step);
    }
    if (!isWhole) {
      for (let n: usize = 0; n < 8 * size; n++) {
        memory.copy(rows + n * row + i, ROWS + (n << 4), row - i);
      }
    }
  }
}

/** The inverse of `bitTranspose`. Reads up to 15 bytes and writes up to 120 elements past the last. */
export function bitUntranspose(rows: usize, count: usize, size: usize, elements: usize): void {
  const row = count >> 3;
  for (let i: usize = 0; i < row; i += 16) {
    const to = elements + 8 * i * size;
    const planes = size == 1 ? to : PLANES;
    for (let plane: usize = 0; plane < size; plane++) {
      rowsToPlane(rows + 8 * plane * row + i, row, planes + 128 * plane);
    }
    if (size > 1) {
      planesToElements(planes, to, size);
    }
  }
}
