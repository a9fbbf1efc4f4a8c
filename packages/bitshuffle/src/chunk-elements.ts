/**
 * How many elements a chunk holds (docs/spec/cfile.md#58-bitshuffle): as many as fill 8192 bytes. Only the last chunk of a
 * stream may hold fewer, a multiple of 8.
 */
import { invalidArgument } from "@cfile/bytes";

/** Bytes of a full chunk before compression. */
export const CHUNK_BYTES = 8192;

/**
 * Elements of a full chunk.
 *
 * @param elementSize in bytes: 1, 2, 4, 8 or 16
 * @throws CFileError `E_INVALID_ARGUMENT` for another element size
 */
export function chunkElements(elementSize: number): number {
  requireElementSize(elementSize);
  return CHUNK_BYTES / elementSize;
}

export function requireElementSize(elementSize: number): void {
  if (![1, 2, 4, 8, 16].includes(elementSize)) {
    throw invalidArgument(
      `elements of ${elementSize} bytes cannot be shuffled; 1, 2, 4, 8 or 16 are possible`,
      {
        field: "element size",
        actual: elementSize,
      },
    );
  }
}

/** Throws unless `count` elements can be transposed: whole groups of 8, no more than a block header can claim. */
export function requireWholeGroups(count: number): void {
  if (!(Number.isInteger(count) && count >= 0 && count <= 2 ** 32 && count % 8 === 0)) {
    throw invalidArgument(`${count} elements cannot be shuffled, only a multiple of 8`, {
      field: "padded count",
      actual: count,
    });
  }
}
