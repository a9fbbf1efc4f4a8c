/** File groups and file slices of a partition (docs/spec/hudi-table.md#5-file-slices-and-which-files-are-valid). */
import { compareText } from "../timeline/instant.js";
import { groupKey, type Timeline } from "../timeline/timeline.js";
import { type BaseFile, compareLogFiles, type LogFile, parseFileName } from "./file-names.js";

/** An optional base file, and the log files on top. */
export interface FileSlice {
  readonly partition: string;
  readonly fileId: string;
  /** Requested time of the write that began the slice. */
  readonly baseInstant: string;
  /** Name of the base file. */
  readonly baseFile: string | undefined;
  /** Names of the log files, in the order in which they are applied. */
  readonly logFiles: readonly string[];
}

/** Decides which files count. */
export interface SliceRules {
  readonly timeline: Timeline;
  /** Requested time of the pending compaction of a file group, by its {@link groupKey}. */
  readonly compacting: ReadonlyMap<string, string>;
  /** See {@link Timeline.replacedGroups}. */
  readonly replaced: ReadonlyMap<string, string>;
}

/** The rules of a timeline. @throws {CFileError} for damaged plans and commits */
export async function sliceRules(timeline: Timeline): Promise<SliceRules> {
  const [compactions, replaced] = await Promise.all([
    timeline.pendingCompactions(),
    timeline.replacedGroups(),
  ]);
  const compacting = new Map(
    compactions.flatMap(({ time, groups }) =>
      groups.map(({ partition, fileId }) => [groupKey(partition, fileId), time] as const),
    ),
  );
  return { timeline, compacting, replaced };
}

interface OpenSlice {
  base: BaseFile | undefined;
  readonly logs: LogFile[];
}

/** The slices of one file group, by base instant. */
type Group = Map<string, OpenSlice>;

/**
 * The latest slice of each file group of a partition, by file ID.
 *
 * A slice that a pending compaction began is joined with the previous slice.
 *
 * @param names the files of the partition
 * @param asOf an instant; default: the latest
 * @throws {CFileError} for a damaged archive
 */
export async function latestSlices(
  partition: string,
  names: Iterable<string>,
  rules: SliceRules,
  asOf?: string,
): Promise<FileSlice[]> {
  const groups = await groupFiles(partition, names, rules);
  const slices: FileSlice[] = [];
  for (const [fileId, group] of groups) {
    const replacedAt = rules.replaced.get(groupKey(partition, fileId));
    if (replacedAt !== undefined && (asOf === undefined || replacedAt <= asOf)) {
      continue;
    }
    const slice = latestOf(group, rules.compacting.get(groupKey(partition, fileId)), asOf);
    if (slice !== undefined) {
      slices.push({ partition, fileId, ...slice });
    }
  }
  return slices.sort((a, b) => compareText(a.fileId, b.fileId));
}

function latestOf(group: Group, compaction: string | undefined, asOf: string | undefined) {
  const times = [...group.keys()].filter((time) => asOf === undefined || time <= asOf).sort(compareText);
  const time = times.at(-1);
  const slice = time === undefined ? undefined : group.get(time);
  if (time === undefined || slice === undefined) {
    return undefined;
  }
  const before = time === compaction ? times.at(-2) : undefined;
  const earlier = before === undefined ? undefined : group.get(before);
  const logs = [...(earlier?.logs ?? []), ...slice.logs].sort(compareLogFiles);
  return {
    baseInstant: before ?? time,
    baseFile: (earlier ?? slice).base?.name,
    logFiles: logs.map(({ name }) => name),
  };
}

async function groupFiles(
  partition: string,
  names: Iterable<string>,
  { timeline, compacting }: SliceRules,
): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>();
  const groupOf = (fileId: string): Group => {
    let group = groups.get(fileId);
    if (group === undefined) {
      // Logs completed after the planning of a compaction belong to the slice that the compaction begins.
      const planned = compacting.get(groupKey(partition, fileId));
      group = new Map(planned === undefined ? [] : [[planned, { base: undefined, logs: [] }]]);
      groups.set(fileId, group);
    }
    return group;
  };
  const logs: LogFile[] = [];
  for (const name of names) {
    const file = parseFileName(name);
    if (file?.kind === "log" && file.suffix === "") {
      logs.push(file);
    } else if (file?.kind === "base" && timeline.isCompletedWrite(file.instant)) {
      const group = groupOf(file.fileId);
      const known = group.get(file.instant)?.base;
      if (known === undefined || known.name < file.name) {
        group.set(file.instant, { base: file, logs: [] });
      }
    }
  }
  await addLogs(logs.sort(compareLogFiles), groupOf, timeline, (fileId) =>
    compacting.get(groupKey(partition, fileId)),
  );
  for (const group of groups.values()) {
    for (const [time, slice] of group) {
      if (slice.base === undefined && slice.logs.length === 0) {
        group.delete(time);
      }
    }
  }
  return groups;
}

async function addLogs(
  logs: readonly LogFile[],
  groupOf: (fileId: string) => Group,
  timeline: Timeline,
  compactionOf: (fileId: string) => string | undefined,
): Promise<void> {
  if (timeline.properties.layout === 2) {
    const completions = await timeline.completionTimes(new Set(logs.map(({ time }) => time)));
    for (const log of logs) {
      const completion = completions.get(log.time);
      if (completion !== undefined) {
        addLog(groupOf(log.fileId), log, completion);
      }
    }
    return;
  }
  for (const log of logs) {
    if (timeline.isCompletedWrite(log.time) || log.time === compactionOf(log.fileId)) {
      addTo(groupOf(log.fileId), log.time, log);
    }
  }
}

/** Layout 2: a log belongs to the slice with the last base instant at or before its completion. */
function addLog(group: Group, log: LogFile, completion: string): void {
  const base =
    [...group.keys()]
      .filter((time) => time <= completion)
      .sort(compareText)
      .at(-1) ?? log.time;
  addTo(group, base, log);
}

function addTo(group: Group, time: string, log: LogFile): void {
  const slice = group.get(time) ?? { base: undefined, logs: [] };
  slice.logs.push(log);
  group.set(time, slice);
}
