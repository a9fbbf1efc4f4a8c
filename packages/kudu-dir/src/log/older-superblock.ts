/**
 * A superblock that is older than the log (docs/spec/kudu-data-dir.md#71-an-older-superblock). A tablet has at most two MemRowSets at a
 * time: one that is being flushed, and its successor. The next one begins after a superblock with the first one is written.
 */
import { type CFileError, corrupt } from "@cfile/bytes";
import type { Superblock } from "../catalog/superblock.js";
import type { OperationResult } from "./log-messages.js";

/** The newest MemRowSet that a result names; -1 for none. MemRowSets of transactions have separate IDs. */
export function newestMemRowSet(results: readonly OperationResult[]): bigint {
  let newest = -1n;
  let last: OperationResult | undefined;
  // The operations of a write are many. An iterator would allocate an object for each, before the loop is optimized.
  for (let i = 0; i < results.length; i++) {
    const result = results[i] as OperationResult;
    // Most of them share one result.
    for (const { mrsId, transaction } of result === last ? [] : result.stores) {
      newest = transaction < 0n && mrsId > newest ? mrsId : newest;
    }
    last = result;
  }
  return newest;
}

/**
 * Whether a row set that the log names may be newer than the superblock. It may also have been deleted, with all of its rows: IDs
 * ascend while a server runs.
 */
export function isNewerRowSet(id: bigint, rowSets: readonly { readonly id: bigint }[]): boolean {
  return rowSets.every((rowSet) => rowSet.id < id);
}

/**
 * The error for a change in a row set that the superblock does not have, to a key whose row is in memory according to the superblock. A
 * row that is being flushed is changed in both; in its row set alone only after the superblock with that row set is written.
 */
export function changeOfNewerRowSet(id: bigint, memRowSet: bigint): CFileError {
  const reason = `the superblock is older than the log: a row of MemRowSet ${memRowSet} was changed in row set ${id}, which the superblock does not have; rows are missing or out of date`;
  return corrupt(reason, { field: "mutated_stores" });
}

/** @param newest the newest MemRowSet that the log names */
export function olderSuperblock(
  newest: bigint,
  { lastDurableMrsId }: Pick<Superblock, "lastDurableMrsId">,
): CFileError | undefined {
  const flushed = newest - 2n;
  return flushed > lastDurableMrsId
    ? corrupt(
        `the superblock is older than the log: MemRowSet ${flushed} was flushed before writes to MemRowSet ${newest}; rows are missing`,
        { field: "last_durable_mrs_id", expected: String(flushed), actual: String(lastDurableMrsId) },
      )
    : undefined;
}
