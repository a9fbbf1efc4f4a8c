/** The key ranges of a tablet's row sets. Where they overlap, a lookup may read more than one row set. */
import { type CFileError, compareBytes, findingOf } from "@cfile/bytes";
import type { KuduTablet } from "../read/kudu-tablet.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { blockSizes } from "./tablet-size.js";

/** A row set of a tablet, and its key range. */
export interface RowSetExtent {
  readonly id: bigint;
  /** Rows of the base data, including deleted ones; `undefined` if the key cannot be read. */
  readonly rows: number | undefined;
  /** Live rows, as counted by the server. */
  readonly liveRows: number | undefined;
  /** Encoded; `undefined` if there are no rows or the key cannot be read. */
  readonly minKey: Uint8Array | undefined;
  readonly maxKey: Uint8Array | undefined;
  /** Total size of the blocks that can be found. */
  readonly bytes: number;
  readonly undoFiles: number;
  readonly redoFiles: number;
  /** IDs of the row sets whose key ranges overlap this one. */
  readonly overlaps: readonly bigint[];
  /** IDs of missing blocks. */
  readonly missing: readonly bigint[];
  /** The error, if the keys cannot be read or another block has the ID of one of its blocks. */
  readonly problem: CFileError | undefined;
}

/** The key ranges of a tablet's row sets. */
export interface TabletExtents {
  /** Ordered by first key; row sets without keys come last. */
  readonly rowSets: readonly RowSetExtent[];
  /** Maximum number of row sets that can hold the same key. */
  readonly depth: number;
}

type Sized = Omit<RowSetExtent, "overlaps">;

const NO_KEYS = { minKey: undefined, maxKey: undefined };

/**
 * Opens only the file with the keys of each row set.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails
 */
export async function keyExtents(tablet: KuduTablet): Promise<TabletExtents> {
  const sized = await Promise.all(tablet.rowSets.map((rowSet) => sizedRowSet(tablet, rowSet)));
  sized.sort(compareExtents);
  const rowSets = sized.map((rowSet) => ({
    ...rowSet,
    overlaps: sized.filter((other) => other !== rowSet && overlap(rowSet, other)).map(({ id }) => id),
  }));
  const depths = sized.map(
    ({ minKey }) => sized.filter((other) => overlap({ minKey, maxKey: minKey }, other)).length,
  );
  return { rowSets, depth: Math.max(0, ...depths) };
}

async function sizedRowSet(tablet: KuduTablet, rowSet: TabletRowSet): Promise<Sized> {
  const { id, blocks } = rowSet;
  const { supportsLiveRowCount } = tablet.superblock;
  let problem: CFileError | undefined;
  const { missing, total: bytes } = await blockSizes([rowSet], (error) => {
    problem ??= error;
  });
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
    return {
      ...known,
      ...(rowCount === 0 ? NO_KEYS : { minKey, maxKey }),
      rows: rowCount,
      problem,
    };
  } catch (error) {
    return { ...known, ...NO_KEYS, rows: undefined, problem: findingOf(error) };
  }
}

function compareExtents(left: Sized, right: Sized): number {
  if (left.minKey === undefined || right.minKey === undefined) {
    return Number(left.minKey === undefined) - Number(right.minKey === undefined);
  }
  return compareBytes(left.minKey, right.minKey) || (left.id < right.id ? -1 : 1);
}

function overlap(left: Pick<Sized, "minKey" | "maxKey">, right: Pick<Sized, "minKey" | "maxKey">): boolean {
  return isUpTo(left.minKey, right.maxKey) && isUpTo(right.minKey, left.maxKey);
}

function isUpTo(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left !== undefined && right !== undefined && compareBytes(left, right) <= 0;
}
