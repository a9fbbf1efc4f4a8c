/**
 * REDO and UNDO files (docs/spec/deltafile.md#1-role and docs/spec/deltafile.md#33-order-inside-a-file). Nothing in a file says
 * which of them it is: the tablet's superblock does.
 *
 * | kind | holds | order of a row's entries |
 * | --- | --- | --- |
 * | `redo` | changes after the base data was written | timestamps ascend |
 * | `undo` | how to get back to earlier states | timestamps descend |
 *
 * Rows ascend in both. Entries of one row and one timestamp stand in the order in which they are applied.
 */
import { invalidArgument } from "@cfile/bytes";
import { compareWords } from "./timestamp.js";

/** Which way a file's entries lead from the base data: forward in time (`"redo"`) or back (`"undo"`). */
export type DeltaKind = "redo" | "undo";

/** @throws CFileError `E_INVALID_ARGUMENT` for anything but a kind */
export function checkDeltaKind(kind: DeltaKind): DeltaKind {
  if (kind !== "redo" && kind !== "undo") {
    throw invalidArgument(`${String(kind)} is no kind of delta file: "redo" or "undo" is expected`, {
      field: "kind",
      actual: String(kind),
    });
  }
  return kind;
}

/** Whether timestamp `i` of the words may follow, in the same row of a file of this kind, the timestamp low, high. */
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
