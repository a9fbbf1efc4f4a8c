/**
 * REDO and UNDO files (docs/spec/deltafile.md#1-role and docs/spec/deltafile.md#33-order-inside-a-file). The kind is stored
 * in the tablet's superblock, not in the file.
 *
 * | kind | holds | order of a row's entries |
 * | --- | --- | --- |
 * | `redo` | changes since the base data was written | timestamps ascend |
 * | `undo` | changes that restore earlier states | timestamps descend |
 *
 * Rows ascend in both. Entries with the same row and timestamp are in the order in which they are applied.
 */
import { invalidOption } from "@cfile/bytes";
import { compareWords } from "./timestamp.js";

/** Whether a file's entries lead forward (`"redo"`) or back (`"undo"`) in time from the base data. */
export type DeltaKind = "redo" | "undo";

/** @throws {CFileError} `E_INVALID_ARGUMENT` for any other value */
export function checkDeltaKind(kind: DeltaKind): DeltaKind {
  if (kind !== "redo" && kind !== "undo") {
    throw invalidOption("kind", kind, '"redo" or "undo"');
  }
  return kind;
}

/** Whether timestamp `i` of the words may follow the timestamp `low`, `high` in the same row of a file of this kind. */
export function mayFollow(
  kind: DeltaKind,
  words: Uint32Array,
  i: number,
  low: number,
  high: number,
): boolean {
  const order = compareWords(words, i, low, high);
  return kind === "redo" ? order >= 0 : order <= 0;
}
