/**
 * Bit transposition (docs/spec/cfile.md#58-bitshuffle): bit `b` of all `m` elements becomes one row of `r = m / 8` bytes.
 *
 * | transposed byte | its bit | content |
 * | --- | --- | --- |
 * | `b * r + (i >> 3)` | `i & 7` | bit `b` of element `i`, which is bit `b & 7` of its little-endian byte `b >> 3` |
 *
 * The work is done on 32 elements at a time, in 32-bit words. A word of a row holds one bit of four groups of eight
 * elements, a group per byte:
 *
 * 1. The eight rows of element byte `k` give eight words. Their bit matrices transposed, word `j` holds byte `k` of
 *    element `j` of each group. It goes to `planes[j * e + k]`: the order of bytes within a group of elements.
 * 2. Four neighbours in `planes`, transposed as a byte matrix, are one word of the elements of each group.
 */
import { invalidArgument } from "@cfile/bytes";
import { CHUNK_BYTES, requireElementSize, requireWholeGroups } from "./chunk-elements.js";
import { transposeBitMatrices, transposeByteMatrices } from "./matrix-transpose.js";
import { rowsToHalfWords } from "./rows-to-half-words.js";

/** Words of 32 elements of 16 bytes. */
const PLANES_WORDS = 128;

/** A chunk with its rows rounded up to words, for up to 24 more elements. */
const PADDED_CHUNK_WORDS = (CHUNK_BYTES + 24 * 16) / 4;

/** From this length on `set` beats a loop. */
const LONG_ROW = 48;

let planes: Int32Array | undefined;
let paddedChunks: Int32Array | undefined;

/**
 * Transposes the first `count` elements of `elementSize` bytes of `input` to the first bytes of `output`. The ranges must not
 * overlap. Fastest for a multiple of 32 elements with both ranges at a multiple of 4 bytes in their buffers.
 *
 * @param elementSize 1, 2, 4, 8 or 16
 * @param count a multiple of 8
 * @throws CFileError `E_INVALID_ARGUMENT` for another size or count, or when `input` or `output` is shorter
 */
export function bitTranspose(
  input: Uint8Array,
  output: Uint8Array,
  elementSize: number,
  count: number,
): void {
  const size = checkedSize(input, output, elementSize, count);
  const rowLength = count / 8;
  if (isInWords(rowLength, input, output)) {
    elementsToRows(wordsIn(input, size), wordsIn(output, size), elementSize);
    return;
  }
  const { rows, elements, rowStep } = paddedScratch(rowLength, elementSize);
  bytesOf(elements).set(input.subarray(0, size));
  elementsToRows(elements, rows, elementSize);
  copyRows(bytesOf(rows), 0, rowStep, output, 0, rowLength, rowLength, 8 * elementSize);
}

/** The inverse of {@link bitTranspose}, with the same parameters and errors. */
export function bitUntranspose(
  input: Uint8Array,
  output: Uint8Array,
  elementSize: number,
  count: number,
): void {
  const size = checkedSize(input, output, elementSize, count);
  const rowLength = count / 8;
  if (isInWords(rowLength, input, output)) {
    rowsToElements(wordsIn(input, size), wordsIn(output, size), elementSize);
    return;
  }
  const { rows, elements, rowStep } = paddedScratch(rowLength, elementSize);
  copyRows(input, 0, rowLength, bytesOf(rows), 0, rowStep, rowLength, 8 * elementSize);
  rowsToElements(rows, elements, elementSize);
  output.set(bytesOf(elements).subarray(0, size));
}

function elementsToRows(elements: Int32Array, rows: Int32Array, elementSize: number): void {
  planes ??= new Int32Array(PLANES_WORDS);
  const rowWords = rows.length / (8 * elementSize);
  const groupWords = 2 * elementSize;
  for (let i = 0; i < rowWords; i++) {
    transposeByteMatrices(elements, 4 * groupWords * i, groupWords, 1, planes, 0, 1, 4, groupWords);
    transposeBitMatrices(planes, 0, elementSize, 1, rows, i, rowWords, 8 * rowWords, elementSize);
  }
}

function rowsToElements(rows: Int32Array, elements: Int32Array, elementSize: number): void {
  if (elementSize >= 2) {
    rowsToHalfWords(rows, elements, elementSize);
    return;
  }
  planes ??= new Int32Array(PLANES_WORDS);
  const rowWords = rows.length / (8 * elementSize);
  const groupWords = 2 * elementSize;
  for (let i = 0; i < rowWords; i++) {
    transposeBitMatrices(rows, i, rowWords, 8 * rowWords, planes, 0, elementSize, 1, elementSize);
    transposeByteMatrices(planes, 0, 1, 4, elements, 4 * groupWords * i, groupWords, 1, groupWords);
  }
}

function checkedSize(input: Uint8Array, output: Uint8Array, elementSize: number, count: number): number {
  requireElementSize(elementSize);
  requireWholeGroups(count);
  const size = elementSize * count;
  requireRoom(input, 0, size, "elements to transpose");
  requireRoom(output, 0, size, "transposed elements");
  return size;
}

/** Throws unless `size` bytes from `start` on are inside `bytes`. */
export function requireRoom(bytes: Uint8Array, start: number, size: number, field: string): void {
  if (!(start >= 0 && size >= 0 && size <= bytes.length - start)) {
    throw invalidArgument(`${size} bytes at ${start} are not inside ${bytes.length} bytes`, {
      field,
      expected: size,
      actual: bytes.length - start,
    });
  }
}

function isInWords(rowLength: number, input: Uint8Array, output: Uint8Array): boolean {
  return rowLength % 4 === 0 && input.byteOffset % 4 === 0 && output.byteOffset % 4 === 0;
}

function wordsIn(bytes: Uint8Array, size: number): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, size / 4);
}

function bytesOf(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Room for rows rounded up to `rowStep` bytes, whole words, and for the elements they make. */
function paddedScratch(rowLength: number, elementSize: number) {
  const rowStep = 4 * Math.ceil(rowLength / 4);
  const words = 2 * elementSize * rowStep;
  let scratch: Int32Array;
  if (words <= PADDED_CHUNK_WORDS) {
    paddedChunks ??= new Int32Array(2 * PADDED_CHUNK_WORDS);
    scratch = paddedChunks;
  } else {
    scratch = new Int32Array(2 * words);
  }
  return { rows: scratch.subarray(0, words), elements: scratch.subarray(words, 2 * words), rowStep };
}

function copyRows(
  source: Uint8Array,
  from: number,
  sourceStep: number,
  target: Uint8Array,
  to: number,
  targetStep: number,
  length: number,
  rows: number,
): void {
  for (let row = 0; row < rows; row++, from += sourceStep, to += targetStep) {
    if (length >= LONG_ROW) {
      target.set(source.subarray(from, from + length), to);
    } else {
      for (let i = 0; i < length; i++) {
        target[to + i] = source[from + i] as number;
      }
    }
  }
}
