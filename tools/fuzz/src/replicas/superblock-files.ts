/** Superblocks of the replicas of the model, and the paths of the blocks that they name. */
import { blockFile, containerBytes, superblockBytes, tableIdOf } from "@cfile-tools/kudu-synthetic/bytes";
import type { ModelEntry } from "../harnesses/raft-replica.js";
import { hasDeleted } from "./row-set-bytes.js";
import { chainOf, rowsAfter, SCHEMA, TABLE, TABLET } from "./table-rows.js";

/** A written superblock and its content. */
export interface Superblock {
  readonly bytes: Uint8Array;
  /** ID of its row set; -1 for none. */
  readonly rowSet: number;
  /** ID of the store with unflushed changes to the row set. */
  readonly dmsId: number;
  /** The last operation whose rows are in its row set. */
  readonly flushed: ModelEntry | undefined;
  readonly mrsId: number;
  readonly isTombstone: boolean;
}

const FIRST_BLOCK = 0x1234_56ff_0000;
const BLOCKS = 5;

/** @param flushed the last operation whose rows are in the row set */
export function superblockOf(
  rowSet: number,
  flushed: ModelEntry | undefined,
  mrsId: number,
  tombstone?: Pick<ModelEntry, "term" | "index">,
): Superblock {
  const block = (i: number): bigint => BigInt(blocksOf(rowSet) + i);
  const [key, value] = SCHEMA.columns;
  const log = chainOf(flushed);
  const redo = hasDeleted(log) ? [block(4)] : [];
  const own = {
    id: rowSet,
    columns: new Map([
      [key?.id ?? 0, block(0)],
      [value?.id ?? 0, block(1)],
    ]),
    bloom: block(2),
    undo: [block(3)],
    redo,
    liveRows: rowsAfter(log).size,
  };
  const message = superblockBytes({
    tabletId: TABLET,
    tableId: tableIdOf(TABLE),
    tableName: TABLE,
    schema: SCHEMA,
    rowSets: rowSet < 0 ? [] : [own],
    lastDurableMrsId: mrsId,
    bucket: 0,
    buckets: 1,
    historyMaxAgeSeconds: 604_800,
    tombstone,
  });
  const bytes = containerBytes("kudu.tablet.TabletSuperBlockPB", [message]);
  return { bytes, rowSet, dmsId: redo.length, flushed, mrsId, isTombstone: tombstone !== undefined };
}

function blocksOf(rowSet: number): number {
  return FIRST_BLOCK + BLOCKS * rowSet;
}

/** Paths of the blocks of a row set: those of its columns, of its Bloom filter, of its UNDO file, and of its REDO file. */
export function blockPaths(rowSet: number): readonly string[] {
  return Array.from({ length: BLOCKS }, (_, i) => `data1/data/${blockFile(BigInt(blocksOf(rowSet) + i))}`);
}
