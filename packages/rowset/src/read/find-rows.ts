/** Where rows are now, by key, in the row sets of a directory (docs/spec/diskrowset.md#8-point-lookup). */
import { DELETE, mayDelete } from "@cfile/deltafile";
import type { RowSetParts } from "./row-set-parts.js";
import type { RowSetReader } from "./row-set-reader.js";

/** A row that is alive. */
export interface FoundPlace {
  /** Number of the row set, oldest first. */
  readonly rowSet: number;
  readonly row: number;
}

/**
 * The row with this encoded key, at the latest timestamp; `undefined` when there is none, or it is deleted.
 *
 * @param rowSets oldest first
 */
export async function findLiveRow(
  rowSets: readonly RowSetReader[],
  key: Uint8Array,
): Promise<FoundPlace | undefined> {
  // The last life of a key lies in the youngest of its row sets.
  for (let rowSet = rowSets.length - 1; rowSet >= 0; rowSet--) {
    const reader = rowSets[rowSet];
    const row = await reader?.findRow(key);
    if (reader !== undefined && row !== undefined && !(await isDeleted(reader.parts, row))) {
      return { rowSet, row };
    }
  }
  return undefined;
}

/** Whether REDO files delete the row: the last entry that deletes or brings back decides. */
async function isDeleted(parts: RowSetParts, row: number): Promise<boolean> {
  const deltas = await parts.deltas();
  for (let i = deltas.length - 1; i >= 0; i--) {
    const delta = deltas[i];
    const statistics = delta?.reader.statistics;
    const isRelevant = statistics !== undefined && (mayDelete(statistics) || statistics.reinsertCount > 0);
    if (delta?.kind === "redo" && isRelevant) {
      const { length, types } = await delta.reader.deltasOf(row);
      if (length > 0) {
        return types[length - 1] === DELETE;
      }
    }
  }
  return false;
}
