/** Vectors as plain values, for comparison. */
import { getBit, toHex } from "@cfile/bytes";
import { bytesOf } from "../src/batches.js";
import { readInt128, type Vector } from "../src/index.js";

/** A value that `toEqual`, `===`, `<` and `>` compare correctly: floats are their bits, strings are hexadecimal. */
export type Cell = number | bigint | boolean | string;

export function cellsOf(vector: Vector): Cell[] {
  return Array.from({ length: vector.length }, (_, i) => cellAt(vector, i));
}

function cellAt(vector: Vector, index: number): Cell {
  switch (vector.kind) {
    case "bool":
      return getBit(vector.values, index);
    case "binary":
      return toHex(vector.data.subarray(vector.offsets[index], vector.offsets[index + 1]));
    case "dictionary":
      return cellAt(vector.dictionary, vector.codes[index] as number);
    case "fixed": {
      const bytes = bytesOf(vector.values);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      switch (vector.physical) {
        case "INT128":
          return readInt128(bytes, 16 * index);
        case "FLOAT":
          return view.getUint32(4 * index, true);
        case "DOUBLE":
          return view.getBigUint64(8 * index, true);
        default:
          return vector.values[index] as number | bigint;
      }
    }
  }
}
