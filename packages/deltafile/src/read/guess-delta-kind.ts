/**
 * Guesses the kind of a file whose superblock is lost (docs/spec/deltafile.md#1-role): from the order of a row's timestamps. If all
 * entries are DELETEs of consecutive rows from 0 on, they probably undo the inserts of those rows.
 */
import type { BlockReadOptions } from "@cfile/format";
import { DELETE } from "../changes/change-type.js";
import type { DeltaKind } from "../changes/delta-kind.js";
import { compareWords, wordsOf } from "../changes/timestamp.js";
import type { DeltaBatch } from "./delta-batch.js";
import type { DeltaFileReader } from "./delta-reader.js";

/** A file's probable kind and the reason. */
export interface GuessedKind {
  readonly kind: DeltaKind;
  /** `timestamps`: their order, which is certain. `deletes`: a DELETE of each row and nothing else, very likely. */
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
  let last: DeltaBatch | undefined;
  for await (const batch of reader.entries({ signal: options.signal })) {
    const kind = (last && kindAcross(last, batch)) ?? kindWithin(batch);
    if (kind !== undefined) {
      return { kind, reason: "timestamps" };
    }
    for (let i = 0; areInserts && i < batch.length; i++) {
      areInserts = batch.types[i] === DELETE && batch.rows[i] === nextRow++;
    }
    last = batch;
  }
  return areInserts && nextRow > 0 ? { kind: "undo", reason: "deletes" } : undefined;
}

/** From the last entry of a block and the first of the next one. */
function kindAcross(last: DeltaBatch, next: DeltaBatch): DeltaKind | undefined {
  const words = wordsOf(last.timestamps);
  const at = last.length - 1;
  return last.rows[at] === next.rows[0]
    ? kindOf(compareWords(wordsOf(next.timestamps), 0, words[2 * at] as number, words[2 * at + 1] as number))
    : undefined;
}

function kindWithin({ length, rows, timestamps }: DeltaBatch): DeltaKind | undefined {
  const words = wordsOf(timestamps);
  for (let i = 1; i < length; i++) {
    if (rows[i] === rows[i - 1]) {
      const order = compareWords(words, i, words[2 * i - 2] as number, words[2 * i - 1] as number);
      if (order !== 0) {
        return kindOf(order);
      }
    }
  }
  return undefined;
}

function kindOf(order: number): DeltaKind | undefined {
  return order === 0 ? undefined : order > 0 ? "redo" : "undo";
}
