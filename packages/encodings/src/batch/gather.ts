/** Gather: the values of the rows that a validity bitmap marks present, back to back; the inverse of `scatterVector`. */
import { type BlockMemory, bitmapByteLength, countBits, freshMemory, getBit, setBit } from "@cfile/bytes";
import { type EncodeKernels, type PresentRows, portableEncoders } from "@cfile/kernels";
import { physicalWidth } from "../types/data-type.js";
import { bytesOf, fixedView, type Vector } from "../types/vector.js";
import { type MovedValues, movedValues } from "../types/words.js";

export interface GatherContext {
  /** Default: the portable loops. */
  readonly kernels?: EncodeKernels | undefined;
  /** Memory for the gathered values. Default: new memory. */
  readonly memory?: BlockMemory | undefined;
}

/**
 * @param validity one bit per value of `vector`
 * @returns a vector of as many values as there are ones in `validity[from..to)`
 */
export function gatherVector(
  vector: Vector,
  validity: Uint8Array,
  from: number,
  to: number,
  { kernels = portableEncoders, memory = freshMemory }: GatherContext = {},
): Vector {
  const length = countBits(validity, from, to);
  const gather = kernels.gather(gatherBytes);
  const rows = { validity, from, to, count: length };
  switch (vector.kind) {
    case "fixed": {
      const { physical } = vector;
      const gathered = gather(bytesOf(vector.values), rows, physicalWidth(physical), memory);
      return { kind: "fixed", physical, length, values: fixedView(physical, gathered, length) };
    }
    case "bool": {
      const values = new Uint8Array(bitmapByteLength(length));
      for (let row = from, next = 0; row < to; row++) {
        if (getBit(validity, row)) {
          if (getBit(vector.values, row)) {
            setBit(values, next);
          }
          next++;
        }
      }
      return { kind: "bool", length, values };
    }
    case "dictionary": {
      const codes = new Int32Array(gather(bytesOf(vector.codes), rows, 4, memory), 0, length);
      return { kind: "dictionary", length, codes, dictionary: vector.dictionary };
    }
    case "binary": {
      // Nulls can have bytes, so the values are not contiguous. Each position becomes a code of its own.
      const codes = new Int32Array(length);
      for (let row = from, next = 0; row < to; row++) {
        if (getBit(validity, row)) {
          codes[next++] = row;
        }
      }
      return { kind: "dictionary", length, codes, dictionary: vector };
    }
  }
}

function gatherBytes(source: Uint8Array, rows: PresentRows, width: number, memory: BlockMemory): ArrayBuffer {
  const length = rows.count * width;
  const buffer = memory.take(length);
  gatherWords(movedValues(source, buffer, length, width), rows);
  return buffer;
}

function gatherWords({ source, target, perValue }: MovedValues, { validity, from, to }: PresentRows): void {
  let next = 0;
  for (let row = from; row < to; row++) {
    if (((validity[row >>> 3] as number) >>> (row & 7)) & 1) {
      for (let at = row * perValue, end = at + perValue; at < end; ) {
        target[next++] = source[at++] as number;
      }
    }
  }
}
