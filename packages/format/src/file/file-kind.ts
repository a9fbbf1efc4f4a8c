/**
 * The kind of a CFile. Kudu stores Bloom filters and deltas in the same container as columns.
 *
 * | kind | recognized by | content |
 * | --- | --- | --- |
 * | `column` | neither of the others | values; ascending if there is a value index |
 * | `delta` | footer metadata `deltafilestats` | a delta key and a change list per row, ordered and indexed by delta key |
 * | `bloom` | BINARY PLAIN, no rows, only a value index | a Bloom filter per block, indexed by first key |
 */
import type { CFileFooter } from "./footer.js";

/** Contents of a CFile: rows of a column, entries of a delta file, or Bloom filters. */
export type FileKind = "column" | "delta" | "bloom";

/** Metadata key of every delta file. */
const DELTA_STATS = "deltafilestats";

/** The kind of a file, according to its footer. */
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
