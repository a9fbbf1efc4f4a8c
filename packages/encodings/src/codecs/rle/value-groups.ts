/** Groups of eight values: equal ones start a repeated run (docs/spec/cfile.md#18-rle-stream). No function checks its indexes. */
import type { IntegerWords } from "./integer-words.js";

/** Values of a group. */
export const GROUP = 8;

/** The end of the run of values equal to (`low`, `high`) that starts at `from`. */
export function endOfRun(values: IntegerWords, low: number, high: number, from: number, to: number): number {
  const { words, perValue } = values;
  if (perValue === 1) {
    while (from < to && words[from] === low) {
      from++;
    }
  } else {
    while (from < to && words[2 * from] === low && words[2 * from + 1] === high) {
      from++;
    }
  }
  return from;
}

/** Whether the eight values that start at `start` are equal. */
export function isRun(values: IntegerWords, start: number): boolean {
  const { words, perValue } = values;
  const first = start * perValue;
  if (words[first] !== words[first + perValue]) {
    return false;
  }
  const high = words[first + perValue - 1] as number;
  return endOfRun(values, words[first] as number, high, start + 1, start + GROUP) === start + GROUP;
}

/** The eight bits that start at `start`. */
export function bitGroup(bitmap: Uint8Array, start: number): number {
  const shift = start & 7;
  const byte = bitmap[start >>> 3] as number;
  return shift === 0
    ? byte
    : ((byte >>> shift) | ((bitmap[(start >>> 3) + 1] as number) << (8 - shift))) & 0xff;
}

/** Whether the eight bits are equal. */
export function isBitRun(group: number): boolean {
  return group === 0 || group === 0xff;
}
