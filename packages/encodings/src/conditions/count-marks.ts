/** Sums of so many words have no byte that overflows. */
const MOST_WORDS = 255;

/** How many of the leading `length` marks, of 0 or 1 each, are 1: four at a time. */
export function countMarks(marks: Uint8Array, length: number): number {
  const isAligned = marks.byteOffset % 4 === 0;
  const words = isAligned
    ? new Uint32Array(marks.buffer, marks.byteOffset, length >>> 2)
    : new Uint32Array(0);
  let count = 0;
  for (let from = 0; from < words.length; from += MOST_WORDS) {
    const to = Math.min(from + MOST_WORDS, words.length);
    let sums = 0;
    for (let i = from; i < to; i++) {
      sums = (sums + (words[i] as number)) | 0;
    }
    count += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
  }
  for (let i = 4 * words.length; i < length; i++) {
    count += marks[i] as number;
  }
  return count;
}
