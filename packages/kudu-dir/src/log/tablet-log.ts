/** The write-ahead log of a tablet: its segments found and read, what is only in it, and that as files in memory. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { readExactly, sizeOf } from "@cfile/io";
import { type FilePlace, type FilePool, placeName } from "../blocks/file-pool.js";
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

  /** What is only in the log; `undefined` when there is no log. */
  replayed(): Promise<ReplayedLog | undefined> {
    return this.read.get(() => this.replay());
  }

  /** Its segments in order, one after the other; of one that cannot be read, what is wrong with it. */
  async *segments(): AsyncGenerator<LogSegment | CFileError, void, void> {
    const places = await this.segmentPlaces();
    for (const [i, place] of places.entries()) {
      try {
        const segment = await this.segment(place, i === places.length - 1);
        if (segment !== undefined) {
          yield segment;
        }
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        yield error;
      }
    }
  }

  /** What is wrong with it. Nothing of the log is kept in memory, as {@link replayed} does. */
  async problems(): Promise<readonly CFileError[]> {
    return (await this.replay())?.problems ?? [];
  }

  /**
   * The same as files in memory.
   *
   * @param damaged whether a damaged log is read up to its first problem
   * @throws CFileError that problem, when `damaged` is false: rows would be missing
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
      return overlayOf(log.operations, this.superblock.schema, rowSets);
    });
  }

  /** Its operations in order, up to the first problem, and the problems. Nothing is kept in memory. */
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

  /** `undefined` for the last segment when the server stopped before it wrote its header: Kudu skips it, too. */
  private async segment(place: FilePlace, isLast: boolean): Promise<LogSegment | undefined> {
    const path = placeName(place);
    return this.pool.use(place, async ({ source, start }) => {
      const size = await sizeOf(source);
      if (size > MAX_SEGMENT) {
        throw new CFileError("E_LIMIT", `a segment of ${size} bytes`, { path, field: "file size" });
      }
      const { parseLogSegment } = await import("./log-segment.js");
      const bytes = await readExactly(source, 0, size);
      const hasHeader =
        size - start >= HEADER_START &&
        bytes.subarray(start, start + HEADER_START).some((byte) => byte !== 0);
      return isLast && !hasHeader ? undefined : parseLogSegment(bytes, path, start);
    });
  }

  /** A start that was interrupted has left the whole log in another folder. */
  private async segmentPlaces(): Promise<readonly FilePlace[]> {
    const { tabletId } = this.superblock;
    for (const name of [`${tabletId}.recovery`, tabletId]) {
      for (const { tree, path } of this.folders) {
        const folder = joined(path, name);
        const names = await tree.list(folder).catch((error: unknown) => {
          if (isCFileError(error, "E_NOT_FOUND")) {
            return [];
          }
          throw error;
        });
        const segments = names.filter((entry) => entry.kind === "file" && SEGMENT.test(entry.name));
        if (segments.length > 0) {
          return segments
            .map((entry) => ({ tree, path: joined(folder, entry.name) }))
            .sort((left, right) => (left.path < right.path ? -1 : 1));
        }
      }
    }
    return [];
  }
}
