/** The write-ahead log of a tablet: finds and reads its segments, replays them, and gives the result as files in memory. */
import { type CFileError, isCFileError } from "@cfile/bytes";
import type { RowSetFiles } from "@cfile/rowset";
import { type FilePlace, type FilePool, fileNamesIn, placeName } from "../blocks/file-pool.js";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import { joined } from "../catalog/server-roots.js";
import type { Superblock } from "../catalog/superblock.js";
import { Remembered } from "../read/remembered.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import type { LogOverlay } from "./log-overlay.js";
import type { Quorum, ReplayedLog, ReplayTarget } from "./log-replay.js";
import type { LogSegment } from "./log-segment.js";
import type { BatchOutline, LoggedOperation, LogOutline, ReadableLog } from "./logged-operations.js";

/** A schema of a table and its version. */
export type VersionedSchema = Pick<Superblock, "schema" | "schemaVersion">;

/** Operations of a tablet from several logs. */
export interface RecoveredLog extends Omit<ReplayTarget, "superblock"> {
  readonly operations: readonly LoggedOperation[];
}

const SEGMENT = /^wal-\d{9}$/;
/** Bytes of the magic and of the header's length. */
const HEADER_START = 12;
const MAX_SEGMENT = 1024 * 1024 * 1024;

/** A replayed log, and its unflushed changes as files. */
export interface FlushedLog {
  readonly log: ReplayedLog;
  readonly overlay: LogOverlay;
}

type SegmentParser<T> = (bytes: Uint8Array, path: string, start: number) => T;

export class TabletLog {
  private readonly folders: readonly FilePlace[];
  private readonly pool: FilePool;
  private readonly superblock: Superblock;
  private readonly quorum: () => Promise<Quorum | undefined>;
  private readonly read = new Remembered<ReplayedLog | undefined>();
  private readonly overlaid = new Remembered<LogOverlay | undefined>();

  /**
   * @param folders the `wals` folders of the server
   * @param quorum what the other replicas say about operations without a commit
   */
  constructor(
    folders: readonly FilePlace[],
    pool: FilePool,
    superblock: Superblock,
    quorum: () => Promise<Quorum | undefined>,
  ) {
    this.quorum = quorum;
    this.folders = folders;
    this.pool = pool;
    this.superblock = superblock;
  }

  /** The unflushed changes, kept in memory; `undefined` without a log. */
  replayed(): Promise<ReplayedLog | undefined> {
    return this.read.get(() => this.replay());
  }

  /** Its segments in order, read one at a time; an error for each that cannot be read. */
  async *segments(): AsyncGenerator<LogSegment | CFileError, void, void> {
    const { parseLogSegment } = await import("./log-segment.js");
    yield* this.segmentsWith(parseLogSegment);
  }

  /** Problems of the log. Unlike {@link replayed}, keeps nothing in memory. */
  async problems(): Promise<readonly CFileError[]> {
    return (await this.replay())?.problems ?? [];
  }

  /**
   * The unflushed changes as files in memory.
   *
   * @throws {CFileError} the log's first problem: rows would be missing
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
   * The unflushed changes as files in memory, with rows in a newer schema. Unlike {@link overlay}, keeps nothing in memory.
   *
   * @throws {CFileError} the first problem of the log
   */
  async flushed(rowSets: readonly TabletRowSet[], schema: KuduSchema): Promise<FlushedLog | undefined> {
    const log = await this.replay();
    const [problem] = log?.problems ?? [];
    if (problem !== undefined) {
      throw problem;
    }
    const { overlayOf } = await import("./log-overlay.js");
    const { flushed } = await import("./memory-row.js");
    return log && { log, overlay: await overlayOf(log.operations, schema, rowSets, flushed) };
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

  /** The rows of all operations, applied to an empty table; `undefined` if some belong to transactions. */
  async replayedAlone({
    operations: logged,
    schema,
    counts,
  }: RecoveredLog): Promise<readonly RowSetFiles[] | undefined> {
    const { replayOperations } = await import("./log-replay.js");
    const { overlayOf } = await import("./log-overlay.js");
    const { inMemory } = await import("./memory-row.js");
    const { superblock } = this;
    const problems: CFileError[] = [];
    const replayed = replayOperations(logged, { superblock, schema, counts }, problems);
    return problems.length > 0 || replayed.transactional > 0
      ? undefined
      : (await overlayOf(replayed.operations, superblock.schema, [], inMemory)).rowSets;
  }

  /** The same log for rows with the columns of another schema. */
  withSchema(version: VersionedSchema): TabletLog {
    return new TabletLog(this.folders, this.pool, { ...this.superblock, ...version }, this.quorum);
  }

  /** Its operations that can be read, those behind damage included. Keeps nothing in memory. */
  async operations(): Promise<ReadableLog> {
    const segments: (LogSegment | CFileError)[] = [];
    for await (const segment of this.segments()) {
      segments.push(segment);
    }
    const { readableLog } = await import("./logged-operations.js");
    return readableLog(segments, this.superblock);
  }

  /** As {@link operations}, without their contents. */
  async outline(): Promise<LogOutline> {
    const { outlineOfSegment } = await import("./log-segment.js");
    const { batchOutline, logOutline } = await import("./logged-operations.js");
    const segments: (LogSegment<BatchOutline> | CFileError)[] = [];
    for await (const segment of this.segmentsWith((bytes, path, start) =>
      outlineOfSegment(bytes, path, start, batchOutline),
    )) {
      segments.push(segment);
    }
    return logOutline(segments, this.superblock);
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
    const quorum = await this.quorum();
    const isEmpty = segments.length === 0 && problems.length === 0;
    if (isEmpty && (quorum === undefined || quorum.more.length === 0)) {
      return undefined;
    }
    const { replayLog } = await import("./log-replay.js");
    const log = replayLog(segments, this.superblock, quorum);
    const all = [...problems, ...log.problems];
    return { ...log, problems: all, completeFrom: all.length === 0 ? log.completeFrom : undefined };
  }

  private async *segmentsWith<T>(parse: SegmentParser<T>): AsyncGenerator<T | CFileError, void, void> {
    const places = await this.segmentPlaces();
    for (const [i, place] of places.entries()) {
      try {
        const segment = await this.segment(place, i === places.length - 1, parse);
        if (segment !== undefined) {
          yield segment;
        }
      } catch (error) {
        yield requireCFileError(error);
      }
    }
  }

  /** `undefined` if the server stopped before it wrote the header of the last segment, which Kudu skips too. */
  private async segment<T>(
    place: FilePlace,
    isLast: boolean,
    parse: SegmentParser<T>,
  ): Promise<T | undefined> {
    const { bytes, start } = await this.pool.readWhole(place, "log segment", MAX_SEGMENT);
    const hasHeader =
      bytes.length - start >= HEADER_START &&
      bytes.subarray(start, start + HEADER_START).some((byte) => byte !== 0);
    return isLast && !hasHeader ? undefined : parse(bytes, placeName(place), start);
  }

  /** After an interrupted start of the server, another folder has the complete log. */
  private async segmentPlaces(): Promise<readonly FilePlace[]> {
    const { tabletId } = this.superblock;
    for (const name of [`${tabletId}.recovery`, tabletId]) {
      for (const { tree, path } of this.folders) {
        const folder = joined(path, name);
        const names = await fileNamesIn({ tree, path: folder });
        const segments = names.filter((file) => SEGMENT.test(file)).sort();
        if (segments.length > 0) {
          return segments.map((file) => ({ tree, path: joined(folder, file) }));
        }
      }
    }
    return [];
  }
}
