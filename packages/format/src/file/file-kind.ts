/**
 * What a CFile holds. Kudu stores Bloom filters and deltas in the same container.
 *
 * | kind | recognized by | content |
 * | --- | --- | --- |
 * | `column` | neither of the others | values; ascending if there is a value index |
 * | `delta` | footer metadata `deltafilestats` | a delta key and a change list per row, ordered and indexed by delta key |
 * | `bloom` | BINARY PLAIN, no rows, only a value index | a Bloom filter per block, indexed by first key |
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import type { CFileFooter } from "./footer.js";

/** What a CFile holds: rows of a column, entries of a delta file, or Bloom filters. */
export type FileKind = "column" | "delta" | "bloom";

/** Metadata key of every delta file. */
const DELTA_STATS = "deltafilestats";

/** What a file holds, according to its footer. */
export function fileKindOf(footer: CFileFooter): FileKind {
  if (footer.metadata.some(({ key }) => key === DELTA_STATS)) {
    return "delta";
  }
  const isBloom =
    footer.dataType === "BINARY" &&
    footer.encoding === "PLAIN_ENCODING" &&
    footer.rowCount === 0 &&
    footer.posidx === undefined &&
    footer.validx !== undefined;
  return isBloom ? "bloom" : "column";
}

/**
 * Checks the frame of a Bloom block: u32le length of a header, the header, at least a byte of filter.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT`
 */
export function checkBloomBlock(bytes: Uint8Array): void {
  const reader = new ByteReader(bytes);
  reader.skip(reader.u32le("bloom header length"), "bloom header");
  if (reader.remaining === 0) {
    throw corrupt("Bloom block without a filter", { offset: reader.position, field: "bloom filter" });
  }
}
