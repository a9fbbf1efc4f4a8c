/** Finds the stores that a log names and that were never flushed (docs/spec/kudu-wal.md#5-what-to-apply). */
import type { Superblock } from "../catalog/superblock.js";
import type { MutatedStore } from "./log-messages.js";
import { isNewerRowSet } from "./older-superblock.js";

/** The fields of a superblock that say what is flushed. */
export type FlushedStores = Pick<Superblock, "lastDurableMrsId" | "rowSets">;

/**
 * Whether the store was only in memory. Changes of a row set that is newer than the superblock are kept: see `older-superblock.ts`.
 * Other row sets that the superblock lacks were compacted, with their changes.
 */
export function isActive(
  { mrsId, rowSetId, dmsId }: MutatedStore,
  superblock: FlushedStores | undefined,
): boolean {
  if (superblock === undefined) {
    return true;
  }
  const { lastDurableMrsId, rowSets } = superblock;
  if (mrsId >= 0n) {
    return mrsId > lastDurableMrsId;
  }
  const rowSet = rowSets.find(({ id }) => id === rowSetId);
  return rowSet === undefined ? isNewerRowSet(rowSetId, rowSets) : dmsId > rowSet.lastDurableDmsId;
}
