/** Selects a replica that is complete and undamaged, and reads all that a new replica needs: its files, with the log flushed. */
import { CFileError, findingOf, type MemoryArena } from "@cfile/bytes";
import type { RowSetFiles } from "@cfile/rowset";
import type { KuduSchema } from "../catalog/schema-message.js";
import { noReplica } from "../cluster/cluster-table.js";
import type { ClusterTablet } from "../cluster/kudu-cluster.js";
import type { Replica } from "../cluster/replica.js";
import { requireWrites } from "../cluster/replicated-tablet.js";
import type { OperationId } from "../log/log-messages.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";

/** A row set to write. */
export interface RestoredRowSet {
  readonly id: bigint;
  readonly lastDurableDmsId: bigint;
  readonly files: RowSetFiles;
  /** Rows of the latest snapshot. */
  readonly liveRows: number;
}

/** The content of a new replica. */
export interface TabletContent {
  readonly rowSets: Iterable<RestoredRowSet> | AsyncIterable<RestoredRowSet>;
  readonly lastDurableMrsId: bigint;
  /** The last operation of any replica. */
  readonly lastOperation: OperationId;
  /** Timestamp of the last change; 0 if nothing was ever written. */
  readonly lastWrite: bigint;
  /** When the server last changed a file, in microseconds since 1970. */
  readonly changedAt: bigint;
  /** The server it comes from; `undefined` for a new, empty tablet. */
  readonly server: string | undefined;
  /** Row operations that only logs had. */
  readonly flushed: number;
  /** What is not restored, and why; complete after the last row set. */
  readonly notes: readonly string[];
}

/** A tablet without rows. */
export const EMPTY_TABLET: TabletContent = {
  rowSets: [],
  lastDurableMrsId: -1n,
  lastOperation: { term: 0n, index: 0n },
  lastWrite: 0n,
  changedAt: 0n,
  server: undefined,
  flushed: 0,
  notes: [],
};

/**
 * Reads and verifies replicas, the preferred one first, until one of them can be written.
 *
 * @param schema the newest schema; rows from the log are written with it
 * @param write writes the content; after an error, it must have removed all of it
 * @throws {CFileError} `E_NOT_FOUND` without a replica; the damage of the preferred one if none is whole; `E_IO`, `E_SOURCE_CHANGED`
 */
export async function wholeReplica<T>(
  tablet: ClusterTablet,
  schema: KuduSchema,
  arena: MemoryArena,
  write: (content: TabletContent) => Promise<T>,
): Promise<T> {
  const damage: CFileError[] = [];
  for (const replica of tablet.readable) {
    try {
      return await write(await contentOf(replica, tablet, schema, arena));
    } catch (error) {
      const { code, reason, path, offset, field } = findingOf(error);
      const where = `tablet ${tablet.id} has no undamaged replica (use recover for the rows that can be read); the one of server ${replica.server}: ${reason}`;
      damage.push(new CFileError(code, where, { path, offset, field, cause: error }));
    }
  }
  throw damage[0] ?? noReplica(tablet.id, "no readable replica is in the directories");
}

async function contentOf(
  replica: Replica,
  cluster: ClusterTablet,
  schema: KuduSchema,
  arena: MemoryArena,
): Promise<TabletContent> {
  const { tablet, dir, server } = replica;
  requireWrites(replica, cluster);
  const flush = (await tablet.flushLog()) ?? lacksLog(tablet.id);
  const stored: RestoredRowSet[] = [];
  let lastWrite = flush.lastWrite ?? 0n;
  for (const rowSet of tablet.rowSets) {
    const files = await filesOf(rowSet);
    const liveRows = await verified(files, tablet.schema, arena);
    const { lastDurableDmsId } = rowSet.blocks;
    stored.push({ id: rowSet.id, lastDurableDmsId, files, liveRows });
    lastWrite = maximum(lastWrite, await lastChangeIn(files));
  }
  async function* rowSets(): AsyncGenerator<RestoredRowSet, void, void> {
    let nextId = stored.reduce((last, { id }) => maximum(last, id), -1n) + 1n;
    for await (const { files, liveRows } of flush.rowSets(schema, tablet.rowSets)) {
      yield { id: nextId++, lastDurableDmsId: -1n, files, liveRows };
    }
    for (const rowSet of stored) {
      const redo = flush.redo.get(rowSet.id);
      const files = redo && { ...rowSet.files, redo: [...rowSet.files.redo, redo] };
      yield files === undefined
        ? rowSet
        : { ...rowSet, files, liveRows: await verified(files, tablet.schema, arena) };
    }
  }
  return {
    rowSets: rowSets(),
    lastDurableMrsId: tablet.superblock.lastDurableMrsId,
    lastOperation: lastOperationOf(cluster),
    lastWrite,
    changedAt: (await dir.blocks.lastChange()) ?? BigInt(Date.now()) * 1000n,
    server,
    flushed: flush.operations,
    notes: notesOf(flush.transactional, cluster),
  };
}

function lacksLog(tablet: string): never {
  throw new CFileError("E_NOT_FOUND", `tablet ${tablet} has no write-ahead log`, { field: "wals" });
}

async function filesOf(rowSet: TabletRowSet): Promise<RowSetFiles> {
  const [absent] = await rowSet.absent();
  if (absent !== undefined) {
    throw absent.error;
  }
  return rowSet.files();
}

/** @returns the number of live rows */
async function verified(files: RowSetFiles, schema: KuduSchema, arena: MemoryArena): Promise<number> {
  const { verifyRowSet } = await import("@cfile/rowset/verify");
  const { problems, liveRows } = await verifyRowSet(files, schema, { arena });
  const [problem] = problems;
  if (problem !== undefined) {
    const { code, reason, path, block, offset, field, expected, actual } = problem;
    throw new CFileError(code, reason, { path, block, offset, field, expected, actual });
  }
  return liveRows ?? 0;
}

/** The last timestamp in its delta files; 0 without any. */
export async function lastChangeIn({ undo, redo }: RowSetFiles): Promise<bigint> {
  const { openDeltaFile } = await import("@cfile/deltafile/read");
  let last = 0n;
  for (const source of [...undo, ...redo]) {
    const { statistics } = await openDeltaFile(source);
    last = maximum(last, statistics.maxTimestamp);
  }
  return last;
}

/** The largest term and index that any replica knows. */
export function lastOperationOf({ readable }: Pick<ClusterTablet, "readable">): OperationId {
  let term = 0n;
  let index = 0n;
  for (const { consensus, lastOperation } of readable) {
    term = maximum(maximum(term, consensus?.term ?? 0n), lastOperation?.term ?? 0n);
    index = maximum(index, lastOperation?.index ?? 0n);
  }
  return { term, index };
}

function notesOf(transactional: number, { unseen }: ClusterTablet): string[] {
  return [
    ...(transactional > 0
      ? [`${transactional} row operations of multi-row transactions are only in the log and not restored`]
      : []),
    ...unseenNotes(unseen),
  ];
}

/** @param unseen voters whose log is missing, if they may have committed writes without the others */
export function unseenNotes(unseen: readonly string[]): string[] {
  return unseen.length === 0
    ? []
    : [`the last writes may be missing: there is no log of the servers ${unseen.join(", ")}`];
}

function maximum(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
