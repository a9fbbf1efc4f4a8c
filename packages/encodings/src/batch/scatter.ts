/** Scatter: spreads values over the rows that a validity bitmap marks present; null rows get zero, or an empty range. */
import { type BlockMemory, bitmapByteLength, freshMemory, getBit, setBit } from "@cfile/bytes";
import { portableDecoders } from "@cfile/kernels";
import type { DecodeContext } from "../codecs/block-codec.js";
import { physicalWidth } from "../types/data-type.js";
import { bytesOf, fixedView, type Vector } from "../types/vector.js";
import { type MovedValues, movedValues } from "../types/words.js";

/**
 * @param vector as many values as `validity` has ones in `0 .. rows - 1`
 * @param context kernels, and memory for the values
 * @returns a vector of `rows` values
 */
export function scatterVector(
  vector: Vector,
  validity: Uint8Array,
  rows: number,
  { kernels = portableDecoders, memory = freshMemory }: Pick<DecodeContext, "kernels" | "memory"> = {},
): Vector {
  const scatter = kernels.scatter(scatterBytes);
  switch (vector.kind) {
    case "fixed": {
      const { physical } = vector;
      const spread = scatter(bytesOf(vector.values), validity, rows, physicalWidth(physical), memory);
      return { ...vector, length: rows, values: fixedView(physical, spread, rows) };
    }
    case "bool": {
      const length = bitmapByteLength(rows);
      const values = new Uint8Array(memory.take(length, true), 0, length);
      for (let row = 0, next = 0; row < rows; row++) {
        if (getBit(validity, row) && getBit(vector.values, next++)) {
          setBit(values, row);
        }
      }
      return { kind: "bool", length: rows, values };
    }
    case "binary": {
      const offsets = new Int32Array(memory.take(4 * (rows + 1)), 0, rows + 1);
      scatterOffsets(vector.offsets, validity, rows, offsets);
      return { ...vector, length: rows, offsets };
    }
    case "dictionary": {
      const spread = scatter(bytesOf(vector.codes), validity, rows, 4, memory);
      return { ...vector, length: rows, codes: new Int32Array(spread, 0, rows) };
    }
  }
}

function scatterBytes(
  values: Uint8Array,
  validity: Uint8Array,
  rows: number,
  width: number,
  memory: BlockMemory,
): ArrayBuffer {
  const buffer = memory.take(rows * width, true);
  const moved = movedValues(values, buffer, rows * width, width);
  (moved.perValue === 1 ? scatterSingleWords : scatterWords)(moved, validity, rows);
  return buffer;
}

/** The most common case, one word per value: eight rows at a time, unrolled. */
function scatterSingleWords({ source, target }: MovedValues, validity: Uint8Array, rows: number): void {
  let from = 0;
  const whole = rows & ~7;
  for (let row = 0; row < whole; row += 8) {
    const mask = validity[row >>> 3] as number;
    if (mask === 0xff) {
      target[row] = source[from] as number;
      target[row + 1] = source[from + 1] as number;
      target[row + 2] = source[from + 2] as number;
      target[row + 3] = source[from + 3] as number;
      target[row + 4] = source[from + 4] as number;
      target[row + 5] = source[from + 5] as number;
      target[row + 6] = source[from + 6] as number;
      target[row + 7] = source[from + 7] as number;
      from += 8;
      continue;
    }
    if (mask & 1) {
      target[row] = source[from++] as number;
    }
    if (mask & 2) {
      target[row + 1] = source[from++] as number;
    }
    if (mask & 4) {
      target[row + 2] = source[from++] as number;
    }
    if (mask & 8) {
      target[row + 3] = source[from++] as number;
    }
    if (mask & 16) {
      target[row + 4] = source[from++] as number;
    }
    if (mask & 32) {
      target[row + 5] = source[from++] as number;
    }
    if (mask & 64) {
      target[row + 6] = source[from++] as number;
    }
    if (mask & 128) {
      target[row + 7] = source[from++] as number;
    }
  }
  for (let row = whole; row < rows; row++) {
    if (getBit(validity, row)) {
      target[row] = source[from++] as number;
    }
  }
}

/** Several words per value; eight rows that are all present are moved together. */
function scatterWords(values: MovedValues, validity: Uint8Array, rows: number): void {
  const { source, target, perValue } = values;
  let from = 0;
  for (let row = 0; row < rows; ) {
    const mask = validity[row >>> 3] as number;
    const last = Math.min(rows, row + 8);
    if (mask === 0xff && last - row === 8) {
      for (let to = row * perValue, end = to + 8 * perValue; to < end; ) {
        target[to++] = source[from++] as number;
      }
    } else if (mask !== 0) {
      for (let bit = 0; row + bit < last; bit++) {
        if ((mask >>> bit) & 1) {
          for (let to = (row + bit) * perValue, end = to + perValue; to < end; ) {
            target[to++] = source[from++] as number;
          }
        }
      }
    }
    row = last;
  }
}

function scatterOffsets(offsets: Int32Array, validity: Uint8Array, rows: number, target: Int32Array): void {
  let next = 0;
  let end = offsets[0] as number;
  target[0] = end;
  for (let row = 0; row < rows; row++) {
    if (((validity[row >>> 3] as number) >>> (row & 7)) & 1) {
      end = offsets[++next] as number;
    }
    target[row + 1] = end;
  }
}
