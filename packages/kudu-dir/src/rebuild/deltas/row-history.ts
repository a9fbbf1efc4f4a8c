/** Decides whether delta files can belong to one row set, by the order of the changes of each row. */
import { DELETE, REINSERT } from "@cfile/deltafile";
import { openDeltaFile } from "@cfile/deltafile/read";
import { unlessDamaged } from "../../blocks/problems.js";
import type { SurveyedBlock } from "../survey-blocks.js";

/** Whether a file, up to damage, changes only rows of a row set with this number of rows. */
export async function hasOnlyRowsOf({ source }: SurveyedBlock, rowCount: number): Promise<boolean> {
  let isPossible = true;
  await unlessDamaged(async () => {
    const reader = await openDeltaFile(source, { cacheBytes: 0 });
    for await (const { length, rows } of reader.entries()) {
      isPossible &&= rows.subarray(0, length).every((row) => row < rowCount);
    }
  });
  return isPossible;
}

/**
 * Whether the files can follow each other: only live rows are changed or deleted, and only deleted ones are inserted again.
 *
 * @param files files of one kind, starting with those next to the base data
 */
export async function isHistory(files: readonly SurveyedBlock[]): Promise<boolean> {
  const deleted = new Set<number>();
  let isPossible = true;
  for (const { source } of files) {
    await unlessDamaged(async () => {
      const reader = await openDeltaFile(source, { cacheBytes: 0 });
      for await (const { length, rows, types } of reader.entries()) {
        rows.subarray(0, length).forEach((row, i) => {
          isPossible &&= deleted.has(row) === (types[i] === REINSERT);
          if (types[i] === DELETE) {
            deleted.add(row);
          } else {
            deleted.delete(row);
          }
        });
      }
    });
  }
  return isPossible;
}
