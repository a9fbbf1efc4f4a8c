/** Recognizes HFiles by their bytes, including damaged ones. */
import { type ByteSource, type ReadOptions, readExactly, sizeOf } from "@cfile/io";
import { blockKindAt, MAGIC_LENGTH, magicAt, TRAILER_MAGIC } from "../blocks/block-kind.js";
import { TRAILER_LENGTH } from "./trailer.js";

/**
 * Whether a source begins with a block of an HFile or ends with a trailer.
 * @throws {CFileError} `E_IO`, `E_NOT_FOUND` when the source fails
 */
export async function isHFile(source: ByteSource, options: ReadOptions = {}): Promise<boolean> {
  const size = await sizeOf(source, options);
  if (size < MAGIC_LENGTH) {
    return false;
  }
  const start = await readExactly(source, 0, MAGIC_LENGTH, options);
  if (blockKindAt(start, 0) !== undefined) {
    return true;
  }
  if (size < TRAILER_LENGTH) {
    return false;
  }
  const trailer = await readExactly(source, size - TRAILER_LENGTH, MAGIC_LENGTH, options);
  return magicAt(trailer, 0) === TRAILER_MAGIC;
}
