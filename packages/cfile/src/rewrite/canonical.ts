/** The canonical bytes of a column of a CFile; see `canonicalParts` of `@cfile/encodings/batches` for their layout. */
import { canonicalParts } from "@cfile/encodings/batches";
import type { CFileReader, ScanOptions } from "@cfile/format";

/**
 * Yields the canonical bytes in pieces, to hash or compare. Scans the file once per part, so that memory stays bounded.
 *
 * @throws {CFileError} as `CFileReader.scan`
 */
export async function* canonicalBytes(
  file: CFileReader,
  options: Pick<ScanOptions, "signal"> = {},
): AsyncGenerator<Uint8Array, void, void> {
  for (const part of canonicalParts(file)) {
    for await (const batch of file.scan(options)) {
      yield part(batch);
    }
  }
}
