/** Which keys the row sets of a tablet have, and whose key ranges overlap: there a look-up asks more than one. */
import { type CFileError, compareBytes, isCFileError } from "@cfile/bytes";
import type { KuduTablet } from "../read/kudu-tablet.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { rolesOf } from "./superblock.js";

/** A row set of a tablet, and how far its keys go. */
export interface RowSetExtent {
  readonly id: bigint;
  /** Rows of the base data, deleted ones included; `undefined` when the key cannot be read. */
  readonly rows: number | undefined;
  /** Rows alive, as the server counted them. */
  readonly liveRows: number | undefined;
  /** Encoded; `undefined` without rows, and when the key cannot be read. */
  readonly minKey: Uint8Array | undefined;
  readonly maxKey: Uint8Array | undefined;
  readonly bytes: number;
  readonly undoFiles: number;
  readonly redoFiles: number;
  /** Row sets whose key ranges overlap with that of this one. */
  readonly overlaps: readonly bigint[];
  /** Blocks that are in none of the directories. */
  readonly missing: readonly bigint[];
  /** Why the keys cannot be read. */
  readonly problem: CFileError | undefined;
}

/** Which keys the row sets of a tablet have, and how much they overlap. */
export interface TabletExtents {
  /** In the order of their first keys; those without last. */
  readonly rowSets: readonly RowSetExtent[];
  /** Most row sets that may have the same key. */
  readonly depth: number;
}

type Sized = Omit<RowSetExtent, "overlaps">;

/**
 * Of each row set the key's file is opened; nothing else is read.
 *
 * @throws CFileError `E_IO` when a source fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when a file is damaged
 */
export async function keyExtents(tablet: KuduTablet): Promise<TabletExtents> {
  const sized = await Promise.all(tablet.rowSets.map((rowSet) => sizedRowSet(tablet, rowSet)));
  sized.sort(compareExtents);
  const rowSets = sized.map((rowSet) => ({
    ...rowSet,
    overlaps: sized.filter((other) => other !== rowSet && overlap(rowSet, other)).map(({ id }) => id),
  }));
  const depth = sized.reduce((most, { minKey }) => Math.max(most, countAt(sized, minKey)), 0);
  return { rowSets, depth };
}

async function sizedRowSet(tablet: KuduTablet, rowSet: TabletRowSet): Promise<Sized> {
  const { id, blocks } = rowSet;
  const { supportsLiveRowCount } = tablet.superblock;
  const missing: bigint[] = [];
  let bytes = 0;
  for (const { id: block } of rolesOf(blocks)) {
    const size = await rowSet.sizeOfBlock(block);
    if (size === undefined) {
      missing.push(block);
    }
    bytes += size ?? 0;
  }
  const known = {
    id,
    liveRows: supportsLiveRowCount ? blocks.liveRowCount : undefined,
    bytes,
    undoFiles: blocks.undo.length,
    redoFiles: blocks.redo.length,
    missing,
  };
  try {
    const { rowCount, minKey, maxKey } = await rowSet.open();
    const keys = rowCount === 0 ? { minKey: undefined, maxKey: undefined } : { minKey, maxKey };
    return { ...known, ...keys, rows: rowCount, problem: undefined };
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return { ...known, rows: undefined, minKey: undefined, maxKey: undefined, problem: error };
  }
}

function compareExtents(left: Sized, right: Sized): number {
  if (left.minKey === undefined || right.minKey === undefined) {
    return Number(left.minKey === undefined) - Number(right.minKey === undefined);
  }
  return compareBytes(left.minKey, right.minKey) || (left.id < right.id ? -1 : 1);
}

function overlap(left: Sized, right: Sized): boolean {
  const { minKey, maxKey } = left;
  return (
    minKey !== undefined &&
    maxKey !== undefined &&
    right.minKey !== undefined &&
    right.maxKey !== undefined &&
    compareBytes(minKey, right.maxKey) <= 0 &&
    compareBytes(right.minKey, maxKey) <= 0
  );
}

function countAt(rowSets: readonly Sized[], key: Uint8Array | undefined): number {
  return key === undefined
    ? 0
    : rowSets.filter(
        ({ minKey, maxKey }) =>
          minKey !== undefined &&
          maxKey !== undefined &&
          compareBytes(minKey, key) <= 0 &&
          compareBytes(key, maxKey) <= 0,
      ).length;
}
