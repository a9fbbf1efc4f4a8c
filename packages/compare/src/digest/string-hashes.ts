/**
 * Hashes of strings: two words each. Four words of state start from the length; each takes every fourth word of the string, which is
 * padded with zeros to a multiple of 16 bytes (at least 16). Then the four are mixed to two.
 */
import { chooseDigestKernels, type HashStrings } from "@cfile/kernels/rows";
import { foldHigh, foldLow } from "./mix.js";

const START = [0x9e3779b1, 0x3c6ef362, 0xdaa66d13, 0x78dde6c4] as const;
const FACTORS = [0x85ebca6b, 0x27d4eb2f, 0xc2b2ae35, 0x165667b1] as const;
const STEP = 16;

/** The portable version. */
export const portableHashes: HashStrings = ({ offsets, data }, count, hashes) => {
  const state = new Int32Array(4);
  for (let i = 0; i < count; i++) {
    const from = offsets[i] as number;
    const end = offsets[i + 1] as number;
    for (let lane = 0; lane < 4; lane++) {
      state[lane] = (START[lane] as number) ^ (end - from);
    }
    let at = from;
    do {
      addWords(state, data, at, end);
      at += STEP;
    } while (at < end);
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const low = foldLow(a, b);
    const high = foldHigh(low, b) ^ d;
    const folded = foldLow(low ^ c, high);
    hashes[2 * i] = folded;
    hashes[2 * i + 1] = foldHigh(folded, high);
  }
};

/** Adds the four words at `at` to the state. */
function addWords(state: Int32Array, data: Uint8Array, at: number, end: number): void {
  for (let lane = 0; lane < 4; lane++) {
    const first = at + 4 * lane;
    let word = 0;
    for (let byte = Math.min(first + 4, end) - 1; byte >= first; byte--) {
      word = (word << 8) | (data[byte] as number);
    }
    const mixed = Math.imul((state[lane] as number) ^ word, FACTORS[lane] as number);
    state[lane] = mixed ^ (mixed >>> 15);
  }
}

/** Hashes strings: two words each. */
export const hashStrings: HashStrings = (strings, count, hashes) =>
  chooseDigestKernels().hashStrings(portableHashes)(strings, count, hashes);

/** Two words for a text, like the name of a column. */
export function textWords(text: string): readonly [low: number, high: number] {
  const data = new TextEncoder().encode(text);
  const hashes = new Int32Array(2);
  portableHashes({ offsets: Int32Array.of(0, data.length), data }, 1, hashes);
  return [hashes[0] ?? 0, hashes[1] ?? 0];
}
