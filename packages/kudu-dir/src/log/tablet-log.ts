/** The write-ahead log of a tablet: finds and reads its segments, replays them, and gives the result as files in memory. */
import { type CFileError, isCFileError } from "@cfile/bytes";
import { type FilePlace, type FilePool, fileNamesIn, placeName } from "../blocks/file-pool.js";
import { requireCFileError } from "../blocks/problems.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import { joined } from "../catalog/server-roots.js";
import type { Superblock } from "../catalog/superblock.js";
import { Remembered } from "../read/remembered.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import type { LogOverlay } from "./log-overlay.js";
import type { LoggedOperation, Quorum, ReplayedLog } from "./log-replay.js";
import type { LogSegment } from "./log-segment.js";

const SEGMENT = /^wal-\d{9}$/;
/** Bytes of the magic and of the header's length. */
const HEADER_START = 12;
const MAX_SEGMENT = 1024 * 1024 * 1024;

/** A replayed log, and its unflushed changes as files. */
export interface FlushedLog {
  readonly log: ReplayedLog;
  readonly overlay: LogOverlay;
}

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
    const places = await this.segmentPlaces();
    for (const [i, place] of places.entries()) {
      try {
        const segment = await this.segment(place, i === places.length - 1);
        if (segment !== undefined) {
          yield segment;
        }
      } catch (error) {
        yield requireCFileError(error);
      }
    }
  }

  /** Problems of the log. Unlike {@link replayed}, keeps nothing in memory. */
  async problems(): Promise<readonly CFileError[]> {
    return (await this.replay())?.problems ?? [];
  }

  /**
   * The unflushed changes as files in memory.
   *
   * @param damaged whether a damaged log is read up to its first problem
   * @throws {CFileError} that problem, if `damaged` is false: rows would be missing
   */
  async overlay(rowSets: readonly TabletRowSet[], damaged = false): Promise<LogOverlay | undefined> {
    const log = await this.replayed();
    const [problem] = log?.problems ?? [];
    if (problem !== undefined && !damaged) {
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

  /** Its operations in order, up to the first problem, and the problems. Keeps nothing in memory. */
  async operations(): Promise<{
    readonly operations: readonly LoggedOperation[];
    readonly problems: readonly CFileError[];
  }> {
    const { segments, problems } = await this.validSegments();
    const { loggedOperations } = await import("./log-replay.js");
    const found: CFileError[] = [];
    const operations = loggedOperations(segments, found);
    return { operations, problems: [...problems, ...found] };
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

  /** `undefined` if the server stopped before it wrote the header of the last segment, which Kudu skips too. */
  private async segment(place: FilePlace, isLast: boolean): Promise<LogSegment | undefined> {
    const { parseLogSegment } = await import("./log-segment.js");
    const { bytes, start } = await this.pool.readWhole(place, "log segment", MAX_SEGMENT);
    const hasHeader =
      bytes.length - start >= HEADER_START &&
      bytes.subarray(start, start + HEADER_START).some((byte) => byte !== 0);
    return isLast && !hasHeader ? undefined : parseLogSegment(bytes, placeName(place), start);
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
