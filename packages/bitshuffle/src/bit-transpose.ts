/**
 * Bit transposition (docs/spec/cfile.md#58-bitshuffle): bit `b` of all `m` elements becomes one row of `r = m / 8` bytes.
 *
 * | transposed byte | its bit | content |
 * | --- | --- | --- |
 * | `b * r + (i >> 3)` | `i & 7` | bit `b` of element `i`, which is bit `b & 7` of its little-endian byte `b >> 3` |
 *
 * Both directions work on 32 elements at a time, in 32-bit words. A word of a row holds one bit of four groups of eight
 * elements, one group per byte. Elements become rows in two steps:
 *
 * 1. Word `n` of each of the four groups is a row of a byte matrix. Transposed, they are four neighbors in `planes`.
 * 2. Word `j` at `planes[j * e + k]` then holds byte `k` of element `j` of each group. The bit matrices of eight such words,
 *    transposed, are one word for each of the eight rows of element byte `k`.
 */
import { invalidArgument } from "@cfile/bytes";
import { type MatrixWords, transposeBitMatrices, transposeByteMatrices } from "./matrix-transpose.js";
import { rowsToHalfWords } from "./rows-to-half-words.js";

/** Bytes of a full chunk before compression; only the last chunk of a stream may be smaller. */
export const CHUNK_BYTES = 8192;

/** 32 elements of 16 bytes, in words. */
const PLANES_WORDS = 128;
/** A chunk whose rows are rounded up to whole words, which adds at most 24 elements; in words. */
const PADDED_CHUNK_WORDS = (CHUNK_BYTES + 24 * 16) / 4;
/** Minimum length at which `set` is faster than a loop. */
const LONG_ROW = 48;

let planes: Int32Array | undefined;
let paddedChunks: Int32Array | undefined;

/**
 * Transposes the first `count` elements of `input` into the first bytes of `output`. The ranges must not overlap. Fastest
 * for a multiple of 32 elements, with both arrays at a multiple of 4 bytes in their buffers.
 *
 * @param elementSize in bytes: 1, 2, 4, 8 or 16
 * @param count a multiple of 8
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid size or count, or when `input` or `output` is too short
 */
export function bitTranspose(
  input: Uint8Array,
  output: Uint8Array,
  elementSize: number,
  count: number,
): void {
  const size = requireElements(input, output, elementSize, count);
  const rowLength = count / 8;
  if (isInWords(rowLength, input, output)) {
    elementsToRows(wordsIn(input, size), wordsIn(output, size), elementSize);
    return;
  }
  const { rows, elements, rowStep } = paddedScratch(rowLength, elementSize);
  bytesOf(elements).set(input.subarray(0, size));
  elementsToRows(elements, rows, elementSize);
  copyRows(bytesOf(rows), rowStep, output, rowLength, 8 * elementSize);
}

/**
 * The inverse of {@link bitTranspose}, with the same parameters.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` like {@link bitTranspose}
 */
export function bitUntranspose(
  input: Uint8Array,
  output: Uint8Array,
  elementSize: number,
  count: number,
): void {
  const size = requireElements(input, output, elementSize, count);
  const rowLength = count / 8;
  if (isInWords(rowLength, input, output)) {
    rowsToElements(wordsIn(input, size), wordsIn(output, size), elementSize);
    return;
  }
  const { rows, elements, rowStep } = paddedScratch(rowLength, elementSize);
  copyRows(input, rowLength, bytesOf(rows), rowStep, 8 * elementSize);
  rowsToElements(rows, elements, elementSize);
  output.set(bytesOf(elements).subarray(0, size));
}

function elementsToRows(elements: Int32Array, rows: Int32Array, elementSize: number): void {
  planes ??= new Int32Array(PLANES_WORDS);
  const rowWords = rows.length / (8 * elementSize);
  const groupWords = 2 * elementSize;
  const source: MatrixWords = { words: elements, start: 0, step: groupWords, advance: 1 };
  const byteMatrices: MatrixWords = { words: planes, start: 0, step: 1, advance: 4 };
  const bitMatrices: MatrixWords = { words: planes, start: 0, step: elementSize, advance: 1 };
  const target: MatrixWords = { words: rows, start: 0, step: rowWords, advance: 8 * rowWords };
  for (; target.start < rowWords; target.start++, source.start += 4 * groupWords) {
    transposeByteMatrices(source, byteMatrices, groupWords);
    transposeBitMatrices(bitMatrices, target, elementSize);
  }
}

function rowsToElements(rows: Int32Array, elements: Int32Array, elementSize: number): void {
  if (elementSize >= 2) {
    rowsToHalfWords(rows, elements, elementSize);
    return;
  }
  planes ??= new Int32Array(PLANES_WORDS);
  const rowWords = rows.length / 8;
  const source: MatrixWords = { words: rows, start: 0, step: rowWords, advance: 1 };
  const bitMatrices: MatrixWords = { words: planes, start: 0, step: 1, advance: 8 };
  const target: MatrixWords = { words: elements, start: 0, step: 2, advance: 8 };
  for (; source.start < rowWords; source.start += PLANES_WORDS / 8) {
    const matrices = Math.min(PLANES_WORDS / 8, rowWords - source.start);
    transposeBitMatrices(source, bitMatrices, matrices);
    for (let half = 0; half < 2; half++) {
      target.start = 8 * source.start + half;
      transposeByteMatrices({ ...bitMatrices, start: 4 * half }, target, matrices);
    }
  }
}

/** Checks that `input` and `output` have room for the elements; returns the size of all elements in bytes. */
function requireElements(input: Uint8Array, output: Uint8Array, elementSize: number, count: number): number {
  requireElementSize(elementSize);
  requireWholeGroups(count);
  const size = elementSize * count;
  requireRoom(input, 0, size, "elements to transpose");
  requireRoom(output, 0, size, "transposed elements");
  return size;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `elementSize` is a size that can be transposed */
export function requireElementSize(elementSize: number): void {
  if (![1, 2, 4, 8, 16].includes(elementSize)) {
    const details = { field: "element size", actual: elementSize };
    throw invalidArgument(`invalid element size: ${elementSize} (must be 1, 2, 4, 8 or 16)`, details);
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `count` is a multiple of 8 and at most 2^32 */
export function requireWholeGroups(count: number): void {
  if (!(Number.isInteger(count) && count >= 0 && count <= 2 ** 32 && count % 8 === 0)) {
    const details = { field: "padded count", actual: count };
    throw invalidArgument(`invalid element count: ${count} (must be a multiple of 8, at most 2^32)`, details);
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `bytes` has `size` bytes at `start` */
export function requireRoom(bytes: Uint8Array, start: number, size: number, field: string): void {
  const actual = bytes.length - start;
  if (!(start >= 0 && size >= 0 && size <= actual)) {
    const reason = `${field}: ${size} bytes at ${start} exceed an array of ${bytes.length}`;
    throw invalidArgument(reason, { field, expected: size, actual });
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

/** Memory for rows rounded up to `rowStep` bytes (whole words), and for their elements. */
function paddedScratch(rowLength: number, elementSize: number) {
  const rowStep = 4 * Math.ceil(rowLength / 4);
  const words = 2 * elementSize * rowStep;
  paddedChunks ??= new Int32Array(2 * PADDED_CHUNK_WORDS);
  const scratch = words <= PADDED_CHUNK_WORDS ? paddedChunks : new Int32Array(2 * words);
  return { rows: scratch.subarray(0, words), elements: scratch.subarray(words, 2 * words), rowStep };
}

/** Copies rows that start every `sourceStep` bytes to rows that start every `targetStep` bytes; the smaller step is their length. */
function copyRows(
  source: Uint8Array,
  sourceStep: number,
  target: Uint8Array,
  targetStep: number,
  rows: number,
): void {
  const length = Math.min(sourceStep, targetStep);
  for (let row = 0, from = 0, to = 0; row < rows; row++, from += sourceStep, to += targetStep) {
    if (length >= LONG_ROW) {
      target.set(source.subarray(from, from + length), to);
    } else {
      for (let i = 0; i < length; i++) {
        target[to + i] = source[from + i] as number;
      }
    }
  }
}
