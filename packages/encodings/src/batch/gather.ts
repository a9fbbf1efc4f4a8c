/**
 * Gather: the values of the rows that a validity bitmap marks present, one after the other; the inverse of
 * `scatterVector`.
 */
import { type BlockMemory, bitmapByteLength, countBits, getBit, setBit } from "@cfile/bytes";
import type { EncodeKernels } from "@cfile/kernels";
import { physicalWidth } from "../types/data-type.js";
import { allocateFixed, bytesOf, fixedView, type Vector } from "../types/vector.js";

export interface GatherContext {
  /** A faster way to the same values, where there is one. */
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
  { kernels, memory }: GatherContext = {},
): Vector {
  const length = countBits(validity, from, to);
  switch (vector.kind) {
    case "fixed": {
      const { physical } = vector;
      const gathered = kernels?.gather(
        bytesOf(vector.values),
        validity,
        from,
        to,
        physicalWidth(physical),
        memory,
      );
      if (gathered !== undefined) {
        return { kind: "fixed", physical, length, values: fixedView(physical, gathered, length) };
      }
      const values = allocateFixed(vector.physical, length);
      const width = vector.physical === "INT128" ? 16 : values.BYTES_PER_ELEMENT;
      gatherBytes(bytesOf(vector.values), bytesOf(values), width, validity, from, to);
      return { kind: "fixed", physical: vector.physical, length, values };
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
      const gathered = kernels?.gather(bytesOf(vector.codes), validity, from, to, 4, memory);
      if (gathered !== undefined) {
        const codes = new Int32Array(gathered, 0, length);
        return { kind: "dictionary", length, codes, dictionary: vector.dictionary };
      }
      const codes = new Int32Array(length);
      gatherWords(vector.codes, codes, 1, validity, from, to);
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
function gatherBytes(
  source: Uint8Array,
  target: Uint8Array,
  width: number,
  validity: Uint8Array,
  from: number,
  to: number,
): void {
  if (width >= 4 && source.byteOffset % 4 === 0) {
    const words = new Int32Array(source.buffer, source.byteOffset, source.byteLength >>> 2);
    gatherWords(words, new Int32Array(target.buffer), width / 4, validity, from, to);
  } else if (width === 2 && source.byteOffset % 2 === 0) {
    const words = new Uint16Array(source.buffer, source.byteOffset, source.byteLength >>> 1);
    gatherWords(words, new Uint16Array(target.buffer), 1, validity, from, to);
  } else {
    gatherWords(source, target, width, validity, from, to);
  }
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
