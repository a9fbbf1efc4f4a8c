/**
 * Guesses the kind of a file whose superblock is lost (docs/spec/deltafile.md#1-role): from the order of a row's timestamps. If all
 * entries are DELETEs of consecutive rows, starting with row 0, they probably undo the inserts of those rows.
 */
import type { BlockReadOptions } from "@cfile/format";
import { DELETE } from "../changes/change-type.js";
import type { DeltaKind } from "../changes/delta-kind.js";
import { compareWords, wordsOf } from "../changes/timestamp.js";
import type { DeltaFileReader } from "./delta-reader.js";

/** A file's probable kind and the reason. */
export interface GuessedKind {
  readonly kind: DeltaKind;
  /** `timestamps`: the order of timestamps, which is certain. `deletes`: one DELETE per row and no other entries, very likely. */
  readonly reason: "timestamps" | "deletes";
}

/**
 * Reads entries until they reveal the kind; `undefined` if they do not.
 *
 * @throws {CFileError} as `DeltaFileReader.entries`
 */
export async function guessDeltaKind(
  reader: DeltaFileReader,
  options: BlockReadOptions = {},
): Promise<GuessedKind | undefined> {
  let nextRow = 0;
  let areInserts = true;
  let lastRow = -1;
  let low = 0;
  let high = 0;
  for await (const { length, rows, timestamps, types } of reader.entries({ signal: options.signal })) {
    const words = wordsOf(timestamps);
    for (let i = 0; i < length; i++) {
      const row = rows[i] as number;
      const order = row === lastRow ? compareWords(words, i, low, high) : 0;
      if (order !== 0) {
        return { kind: order > 0 ? "redo" : "undo", reason: "timestamps" };
      }
      areInserts &&= types[i] === DELETE && row === nextRow++;
      lastRow = row;
      low = words[2 * i] as number;
      high = words[2 * i + 1] as number;
    }
  }
  return areInserts && nextRow > 0 ? { kind: "undo", reason: "deletes" } : undefined;
}
