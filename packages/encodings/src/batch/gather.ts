/**
 * Gather: the values of the rows that a validity bitmap marks present, one after the other; the inverse of
 * `scatterVector`.
 */
import { type BlockMemory, bitmapByteLength, countBits, freshMemory, getBit, setBit } from "@cfile/bytes";
import { type EncodeKernels, type PresentRows, portableEncoders } from "@cfile/kernels";
import { physicalWidth } from "../types/data-type.js";
import { bytesOf, fixedView, type Vector } from "../types/vector.js";

export interface GatherContext {
  /** The loops to use. Default: the portable ones. */
  readonly kernels?: EncodeKernels | undefined;
  /** Where its values go. Default: memory of their own. */
  readonly memory?: BlockMemory | undefined;
}

/**
 * @param validity a bit for each value of `vector`
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
      // Nulls may hide bytes: values are named by their position, as codes of themselves.
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

/** Values move as integers of the widest size that their address allows: NaN payloads stay as they are. */
function gatherBytes(source: Uint8Array, rows: PresentRows, width: number, memory: BlockMemory): ArrayBuffer {
  const { validity, from, to, count } = rows;
  const target = memory.take(count * width);
  if (width >= 4 && source.byteOffset % 4 === 0) {
    const words = new Int32Array(source.buffer, source.byteOffset, source.byteLength >>> 2);
    gatherWords(words, new Int32Array(target, 0, (count * width) / 4), width / 4, validity, from, to);
  } else if (width === 2 && source.byteOffset % 2 === 0) {
    const words = new Uint16Array(source.buffer, source.byteOffset, source.byteLength >>> 1);
    gatherWords(words, new Uint16Array(target, 0, count), 1, validity, from, to);
  } else {
    gatherWords(source, new Uint8Array(target), width, validity, from, to);
  }
  return target;
}

type Words = Uint8Array | Uint16Array | Int32Array;

function gatherWords(
  source: Words,
  target: Words,
  words: number,
  validity: Uint8Array,
  from: number,
  to: number,
): void {
  let next = 0;
  for (let row = from; row < to; row++) {
    if (((validity[row >>> 3] as number) >>> (row & 7)) & 1) {
      for (let at = row * words, end = at + words; at < end; ) {
        target[next++] = source[at++] as number;
      }
    }
  }
}
