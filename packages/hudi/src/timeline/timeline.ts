/** The timeline of a table or of its metadata table: active instants, and archived instants on demand. */

import type { AvroObject } from "@cfile/avro";
import { type CFileError, corrupt, isCFileError } from "@cfile/bytes";
import type { TableFiles } from "../table/table-files.js";
import type { TableProperties } from "../table/table-properties.js";
import { type ArchivedInstants, archivedInstants } from "./archive.js";
import {
  compareText,
  familyOf,
  type HudiInstant,
  highestStates,
  instantOfMillis,
  parseInstantName,
  WRITE_ACTIONS,
} from "./instant.js";
import {
  type CommitContent,
  commitContent,
  compactionGroups,
  type GroupName,
  isClusteringRequest,
  parseContent,
} from "./instant-content.js";

/** A compaction that is planned or running, with the file groups in its plan. */
export interface PendingCompaction {
  readonly time: string;
  readonly groups: readonly GroupName[];
}

/** The timeline of a table, listed once. */
export class Timeline {
  readonly files: TableFiles;
  readonly properties: TableProperties;
  /** Active instants in their highest states, by requested time. */
  readonly instants: readonly HudiInstant[];
  /** Completed writes by requested time. */
  readonly completed: ReadonlyMap<string, HudiInstant>;
  /** Requested times of instants that are not completed. */
  readonly pending: ReadonlySet<string>;
  /**
   * The time from which the active timeline is complete: the first write that no savepoint holds back. Older instants are completed.
   */
  readonly start: string | undefined;
  private readonly names: ReadonlySet<string>;
  private readonly contents = new Map<string, Promise<AvroObject | undefined>>();
  private archive: Promise<ArchivedInstants> | undefined;

  private constructor(
    files: TableFiles,
    properties: TableProperties,
    names: readonly string[],
    instants: readonly HudiInstant[],
  ) {
    this.files = files;
    this.properties = properties;
    this.names = new Set(names);
    this.instants = instants;
    const completed = instants.filter(({ state }) => state === "COMPLETED");
    this.completed = new Map(
      completed.filter(({ action }) => WRITE_ACTIONS.includes(action)).map((write) => [write.time, write]),
    );
    const pending = instants.filter(({ state }) => state !== "COMPLETED");
    this.pending = new Set(pending.map(({ time }) => time).filter((time) => !this.completed.has(time)));
    const savepoints = new Set(
      instants.filter(({ action }) => action === "savepoint").map(({ time }) => time),
    );
    const visible = instants.filter(
      ({ action, time }) => this.completed.has(time) || (action === "compaction" && this.pending.has(time)),
    );
    this.start = (visible.find(({ time }) => !savepoints.has(time)) ?? visible[0])?.time;
  }

  /** Lists the timeline's folder. @throws {CFileError} `E_IO` */
  static async load(files: TableFiles, properties: TableProperties): Promise<Timeline> {
    const names = await files.fileNames(properties.timelineFolder);
    const parsed = names.flatMap((name) => parseInstantName(name, properties.layout) ?? []);
    const highest = highestStates(parsed);
    const instants =
      properties.layout === 2
        ? highest
        : await Promise.all(highest.map((each) => withCompletion(files, properties, each)));
    return new Timeline(files, properties, names, instants);
  }

  /** The newest completed write. */
  get lastCompleted(): HudiInstant | undefined {
    return [...this.completed.values()].at(-1);
  }

  /** Whether an instant is a completed write, active or archived. */
  isCompletedWrite(time: string): boolean {
    return this.completed.has(time) || this.isArchived(time);
  }

  /** Whether an instant is older than the active timeline, and not pending. */
  isArchived(time: string): boolean {
    return (
      this.start !== undefined && time < this.start && !this.pending.has(time) && !this.completed.has(time)
    );
  }

  /** All archived instants, by requested time. @throws {CFileError} for damage */
  archived(): Promise<ArchivedInstants> {
    this.archive ??= archivedInstants(this.files, this.properties);
    return this.archive;
  }

  /**
   * The completion times of writes; writes that are not completed are absent. An archived instant that the archive no longer has
   * counts as completed when it was requested.
   * @throws {CFileError} for a damaged archive
   */
  async completionTimes(times: Iterable<string>): Promise<Map<string, string>> {
    const known = new Map<string, string>();
    for (const time of times) {
      const active = this.completed.get(time);
      if (active !== undefined) {
        known.set(time, active.completionTime ?? time);
      } else if (this.isArchived(time)) {
        const archived = (await this.archived()).completed.get(time);
        known.set(time, archived?.completionTime ?? time);
      }
    }
    return known;
  }

  /** The record in an instant's file; `undefined` when the file is empty. @throws {CFileError} with the path, for damage */
  content(instant: HudiInstant): Promise<AvroObject | undefined> {
    let content = this.contents.get(instant.file);
    if (content === undefined) {
      content = this.readContent(instant.file);
      this.contents.set(instant.file, content);
    }
    return content;
  }

  /** The content of a completed write. @throws {CFileError} `E_CORRUPT` when its file is empty or damaged */
  async commit(instant: HudiInstant): Promise<CommitContent> {
    return this.inFile(instant.file, async () => {
      const content = await this.content(instant);
      if (content === undefined) {
        throw corrupt("file of a completed write is empty", { field: "content" });
      }
      return commitContent(content);
    });
  }

  /** The request of a pending action, such as a plan; `undefined` when it has no file. */
  async request({ time, action }: HudiInstant): Promise<AvroObject | undefined> {
    const file = `${time}.${action}.requested`;
    return this.names.has(file)
      ? this.content({ time, action, state: "REQUESTED", completionTime: undefined, file })
      : undefined;
  }

  /** Pending compactions. @throws {CFileError} for a damaged plan */
  async pendingCompactions(): Promise<PendingCompaction[]> {
    const pending = this.instants.filter(
      ({ action, state }) => action === "compaction" && state !== "COMPLETED",
    );
    return Promise.all(
      pending.map(async (instant) => {
        const { time } = instant;
        const plan = await this.request(instant);
        return this.inFile(`${time}.compaction.requested`, async () => {
          // Without the plan, log files of the slices that the compaction begins would not count.
          if (plan === undefined) {
            throw corrupt("a pending compaction has no plan", { field: "content" });
          }
          return { time, groups: compactionGroups(plan) };
        });
      }),
    );
  }

  /** Time of the write that replaced each file group, by partition and file ID joined with a NUL. */
  async replacedGroups(): Promise<Map<string, string>> {
    const replaced = new Map<string, string>();
    for (const instant of this.completed.values()) {
      if (instant.action !== "replacecommit") {
        continue;
      }
      for (const [partition, ids] of (await this.commit(instant)).replaced) {
        for (const id of ids) {
          const key = groupKey(partition, id);
          // Writes are in the order of their times.
          replaced.set(key, replaced.get(key) ?? instant.time);
        }
      }
    }
    return replaced;
  }

  /** Pending writes that add rows: neither compaction nor clustering. */
  async pendingWrites(): Promise<HudiInstant[]> {
    const writes: HudiInstant[] = [];
    for (const instant of this.instants) {
      if (instant.state !== "COMPLETED" && WRITE_ACTIONS.includes(instant.action)) {
        const isClustering =
          familyOf(instant) === "replacecommit" && isClusteringRequest(await this.request(instant));
        if (!isClustering) {
          writes.push(instant);
        }
      }
    }
    return writes.sort((a, b) => compareText(a.time, b.time));
  }

  private readContent(file: string): Promise<AvroObject | undefined> {
    return this.inFile(file, async () =>
      parseContent(await this.files.read(`${this.properties.timelineFolder}/${file}`)),
    );
  }

  private async inFile<T>(file: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw withPath(error, this.files.nameOf(`${this.properties.timelineFolder}/${file}`));
    }
  }
}

/** Partition and file ID as one key. */
export function groupKey(partition: string, fileId: string): string {
  return `${partition}\0${fileId}`;
}

/** Adds a path to a {@link CFileError}; returns other errors unchanged. */
export function withPath(error: unknown, path: string): CFileError | unknown {
  return isCFileError(error) ? error.within({ path }) : error;
}

/** Layout 1 does not record completion times; the modification time of an instant's file shows it, if preserved. */
async function withCompletion(
  files: TableFiles,
  { timelineFolder }: TableProperties,
  instant: HudiInstant,
): Promise<HudiInstant> {
  if (instant.state !== "COMPLETED") {
    return instant;
  }
  const modified = await files.modified(`${timelineFolder}/${instant.file}`);
  return { ...instant, completionTime: modified === undefined ? undefined : instantOfMillis(modified) };
}
