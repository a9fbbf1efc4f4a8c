/** Replays the write-ahead log of a tablet, with the result as files in memory. */
import { type CFileError, corrupt, isCFileError } from "@cfile/bytes";
import type { RowSetFiles } from "@cfile/rowset";
import type { FilePlace, FilePool } from "../blocks/file-pool.js";
import { collect } from "../blocks/problems.js";
import type { Superblock } from "../catalog/superblock.js";
import { Remembered } from "../read/remembered.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import type { LogFlush } from "./log-flush.js";
import type { LogOverlay } from "./log-overlay.js";
import type { Quorum, ReplayedLog, ReplayTarget, UnflushedOperation } from "./log-replay.js";
import type { LogSegment } from "./log-segment.js";
import { firstSegment, logSegments, type SegmentOptions, segmentsWith } from "./log-segments.js";
import { olderSuperblock } from "./older-superblock.js";
import type { LoggedOperation } from "./operation-list.js";
import type { BatchOutline, LogOutline, ReadableLog } from "./readable-log.js";

/** A schema of a table and its version. */
export type VersionedSchema = Pick<Superblock, "schema" | "schemaVersion">;

/** Operations of a tablet from several logs. */
export interface RecoveredLog extends Omit<ReplayTarget, "superblock"> {
  readonly operations: readonly LoggedOperation[];
}

/** The result of checking a log. */
export interface CheckedLog extends Pick<ReplayedLog, "problems" | "torn"> {
  /** Whether it goes back to the first operation. */
  readonly isWhole: boolean;
}

/** Where a log ended when it was read: the number of entries of each segment, by segment number. */
export type LogEnd = Readonly<Record<number, number>>;

export class TabletLog {
  private readonly folders: readonly FilePlace[];
  private readonly pool: FilePool;
  private readonly superblock: Superblock;
  private readonly quorum: () => Promise<Quorum | undefined>;
  private readonly end: LogEnd | undefined;
  private seen: LogEnd | undefined;
  private readonly read = new Remembered<ReplayedLog | undefined>();
  private readonly overlaid = new Remembered<LogOverlay | undefined>();

  /**
   * @param folders the `wals` folders of the server
   * @param quorum what the other replicas say about operations without a commit
   * @param end where to stop, although a server may have written more since; default: the end of the files
   */
  constructor(
    folders: readonly FilePlace[],
    pool: FilePool,
    superblock: Superblock,
    quorum: () => Promise<Quorum | undefined>,
    end?: LogEnd,
  ) {
    this.quorum = quorum;
    this.end = end;
    this.folders = folders;
    this.pool = pool;
    this.superblock = superblock;
  }

  /** The unflushed changes, kept in memory; `undefined` without a log. */
  replayed(): Promise<ReplayedLog | undefined> {
    return this.read.get(() => this.replay());
  }

  /** Where the log ended in {@link replayed}; `undefined` without a log. */
  async replayedEnd(): Promise<LogEnd | undefined> {
    await this.replayed();
    return this.seen;
  }

  /** Its segments in order, read one at a time; an error for each that cannot be read. */
  segments(): AsyncGenerator<LogSegment | CFileError, void, void> {
    return this.readSegments({});
  }

  /** Problems of the log. Unlike {@link replayed}, keeps nothing in memory. */
  async check(rowSets: readonly TabletRowSet[]): Promise<CheckedLog> {
    const { operations = [], problems = [], torn, completeFrom } = (await this.replay()) ?? {};
    const isWhole = completeFrom === 0n;
    const namesOthers = operations.some(({ stores = [] }) =>
      stores.some(({ mrsId, rowSetId }) => mrsId < 0n && rowSets.every(({ id }) => id !== rowSetId)),
    );
    if (problems.length > 0 || !namesOthers) {
      return { problems, torn, isWhole };
    }
    const { applyOperations, ChangedRowSets } = await import("./apply-operations.js");
    const found: CFileError[] = [];
    await collect(found, () => applyOperations(operations, new ChangedRowSets(rowSets, false)));
    return { problems: found, torn, isWhole };
  }

  /**
   * The unflushed changes as files in memory.
   *
   * @throws {CFileError} the log's first problem, because rows would be missing
   */
  async overlay(rowSets: readonly TabletRowSet[]): Promise<LogOverlay | undefined> {
    const log = await this.replayed();
    const [problem] = log?.problems ?? [];
    if (problem !== undefined) {
      throw problem;
    }
    return this.overlaid.get(async () => {
      if (log === undefined) {
        return undefined;
      }
      const { overlayOf } = await import("./log-overlay.js");
      const { inMemory } = await import("./memory-row.js");
      return overlayOf(log.operations, this.superblock.schema, rowSets, inMemory);
    });
  }

  /**
   * The unflushed changes, for writing row sets with limited memory; `undefined` without a log. Reads the log once.
   *
   * @param maxBytes as `LogFlush.of`
   * @throws {CFileError} the first problem of the log
   */
  async flush(maxBytes?: number): Promise<LogFlush | undefined> {
    const { LogFlush } = await import("./log-flush.js");
    const { operationsInTurn } = await import("./logged-operations.js");
    const { operationOfOther } = await import("./log-replay.js");
    const { superblock } = this;
    const quorum = await this.quorum();
    const more = (quorum?.more ?? []).map(operationOfOther);
    const segments = (): AsyncGenerator<LogSegment | CFileError, void, void> =>
      this.readSegments({ packed: true });
    const first = await firstOf(segments());
    if (first === undefined && more.length === 0) {
      return undefined;
    }
    const schema = first === undefined || isCFileError(first) ? superblock.schema : first.schema;
    const read = async function* (problems: CFileError[]): AsyncGenerator<LoggedOperation, void, void> {
      yield* operationsInTurn(segments(), superblock, problems);
      yield* problems.length === 0 ? more : [];
    };
    return LogFlush.of({ superblock, schema, counts: (id) => quorum?.counts(id) ?? false, read }, maxBytes);
  }

  /**
   * The unflushed changes for damaged row sets, as files in memory.
   *
   * @param recovered the operations, from several logs; default: those of this log up to its first problem
   */
  async tolerantOverlay(
    rowSets: readonly TabletRowSet[],
    recovered?: RecoveredLog,
  ): Promise<LogOverlay | undefined> {
    const { replayOperations } = await import("./log-replay.js");
    const { overlayOf } = await import("./log-overlay.js");
    const { inMemory } = await import("./memory-row.js");
    const { superblock } = this;
    if (recovered === undefined) {
      const log = await this.replayed();
      return log && overlayOf(log.operations, superblock.schema, rowSets, inMemory, true);
    }
    const { operations: logged, schema, counts } = recovered;
    const problems: CFileError[] = [];
    const { operations } = replayOperations(
      logged,
      { superblock, schema, counts, withFlushed: true },
      problems,
    );
    const [problem] = problems;
    if (problem !== undefined) {
      throw problem;
    }
    return overlayOf(operations, superblock.schema, rowSets, inMemory, true);
  }

  /**
   * The rows of all operations, applied to an empty table; `undefined` if some belong to transactions.
   *
   * @param select selects operations. Default: all
   */
  async replayedAlone(
    { operations: logged, schema, counts }: RecoveredLog,
    select = (operations: readonly UnflushedOperation[]) => operations,
  ): Promise<readonly RowSetFiles[] | undefined> {
    const { replayOperations } = await import("./log-replay.js");
    const { overlayOf } = await import("./log-overlay.js");
    const { inMemory } = await import("./memory-row.js");
    const { superblock } = this;
    const problems: CFileError[] = [];
    const replayed = replayOperations(logged, { superblock, schema, counts }, problems);
    return problems.length > 0 || replayed.transactional > 0
      ? undefined
      : (await overlayOf(select(replayed.operations), superblock.schema, [], inMemory)).rowSets;
  }

  /** {@link replayedAlone} for the rows of this log that it never deletes; `undefined` unless it is complete. */
  async replayedWhole(maxBytes: number): Promise<readonly RowSetFiles[] | undefined> {
    const { segments, problems } = await this.validSegments();
    const [first] = segments;
    const sizes = segments.flatMap(({ entries }) => entries.map(({ data }) => data.length));
    if (first === undefined || sizes.reduce((sum, size) => sum + size, 0) > maxBytes) {
      return undefined;
    }
    const { loggedOperations } = await import("./logged-operations.js");
    const { ofKeysNeverDeleted } = await import("./never-deleted.js");
    const logged = loggedOperations(segments, this.superblock, problems);
    const isComplete = logged.every(
      ({ replicate, commit }) => replicate.write === undefined || commit !== undefined,
    );
    return problems.length === 0 && logged[0]?.replicate.id.index === 1n && isComplete
      ? this.replayedAlone(
          { operations: logged.map(decidedByKey), schema: first.schema, counts: () => true },
          ofKeysNeverDeleted,
        )
      : undefined;
  }

  /** The same log for rows with the columns of another schema. */
  withSchema(version: VersionedSchema): TabletLog {
    const superblock = { ...this.superblock, ...version };
    return new TabletLog(this.folders, this.pool, superblock, this.quorum, this.end);
  }

  /** Its operations that can be read, including those after damage. Keeps nothing in memory. */
  async operations(): Promise<ReadableLog> {
    const segments: (LogSegment | CFileError)[] = [];
    for await (const segment of this.segments()) {
      segments.push(segment);
    }
    const { readableLog } = await import("./readable-log.js");
    return readableLog(segments, this.superblock);
  }

  /** Like {@link operations}, without their contents. */
  async outline(): Promise<LogOutline> {
    const { outlineParser } = await import("./log-segment.js");
    const { chooseDecoders } = await import("@cfile/kernels/decode");
    const { batchOutline, logOutline } = await import("./readable-log.js");
    const segments: (LogSegment<BatchOutline> | CFileError)[] = [];
    const { tabletId } = this.superblock;
    const parse = outlineParser(chooseDecoders(), batchOutline);
    for await (const segment of segmentsWith(parse, this.folders, this.pool, tabletId)) {
      segments.push(segment);
    }
    return logOutline(segments, this.superblock);
  }

  private async *readSegments(options: SegmentOptions): AsyncGenerator<LogSegment | CFileError, void, void> {
    const { tabletId, lastDurableMrsId } = this.superblock;
    let isEmpty = true;
    for await (const segment of logSegments(this.folders, this.pool, tabletId, options)) {
      isEmpty = false;
      if (this.end === undefined || isCFileError(segment)) {
        yield segment;
        continue;
      }
      const entries = this.end[segment.sequence];
      if (entries === undefined) {
        break;
      }
      yield segmentUntil(segment, entries);
    }
    // A log without entries is valid only if the server stopped while it created the tablet.
    const path = isEmpty && lastDurableMrsId >= 0n ? await firstSegment(this.folders, tabletId) : undefined;
    if (path !== undefined) {
      yield corrupt("the log has no entries, although the tablet has flushed rows", {
        path,
        field: "segments",
      });
    }
  }

  private async validSegments(): Promise<{ segments: LogSegment[]; problems: CFileError[] }> {
    const segments: LogSegment[] = [];
    const problems: CFileError[] = [];
    for await (const segment of this.segments()) {
      if (isCFileError(segment)) {
        problems.push(segment);
      } else if (problems.length === 0) {
        segments.push(segment);
      }
    }
    return { segments, problems };
  }

  private async replay(): Promise<ReplayedLog | undefined> {
    const { segments, problems } = await this.validSegments();
    const ends = segments.map(({ sequence, entries }): [number, number] => [sequence, entries.length]);
    this.seen = segments.length === 0 ? undefined : Object.fromEntries(ends);
    const quorum = await this.quorum();
    const isEmpty = segments.length === 0 && problems.length === 0;
    if (isEmpty && (quorum === undefined || quorum.more.length === 0)) {
      return undefined;
    }
    const { replayLog } = await import("./log-replay.js");
    const log = replayLog(segments, this.superblock, quorum);
    const older = olderSuperblock(log.newestMrsId, this.superblock);
    const all = [...problems, ...log.problems, ...(older === undefined ? [] : [older])];
    return { ...log, problems: all, completeFrom: all.length === 0 ? log.completeFrom : undefined };
  }
}

/** Removes the commit of an operation, so that its key decides on the stores. */
function decidedByKey({ commit, ...one }: LoggedOperation): LoggedOperation {
  const failed = new Set(commit?.results.flatMap((result, i) => (result.failed ? [i] : [])));
  return { ...one, commit: undefined, mayBeFlushed: false, failed };
}

function segmentUntil(segment: LogSegment, entries: number): LogSegment {
  // What follows was written later.
  return segment.entries.length <= entries
    ? segment
    : {
        ...segment,
        entries: segment.entries.slice(0, entries),
        ...{ behindDamage: [], torn: undefined, damage: undefined },
      };
}

/** The first item. Reads no others. */
async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) {
    return item;
  }
  return undefined;
}
