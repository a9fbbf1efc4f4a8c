/** Incremental reads: the rows that writes completed between two times added or changed. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { conditionList, type NamedCondition } from "@cfile/encodings/conditions";
import { type FileSlice, latestSlices } from "../slices/file-slices.js";
import type { HudiTable } from "../table/hudi-table.js";
import { lastName } from "../table/table-files.js";
import type { HudiInstant } from "../timeline/instant.js";
import type { Timeline } from "../timeline/timeline.js";
import { type HudiScanOptions, scanSlices } from "./scan.js";
import type { HudiBatch } from "./slice-rows.js";
import { META, tableColumns } from "./table-schema.js";

/** Bounds of an incremental read: completion times in layout 2, requested times in layout 1. */
export interface HudiRange {
  /** Exclusive. */
  readonly from: string;
  /** Inclusive. Default: the latest. */
  readonly to?: string | undefined;
}

/** Options of an incremental read. */
export type HudiChangeOptions = Omit<HudiScanOptions, "asOf" | "readOptimized">;

/** The writes in a range, and the writes that are left out. */
export interface WritesInRange {
  /** In the order of the times that the range compares. */
  readonly writes: readonly HudiInstant[];
  /** A pending write of layout 1. Later writes are left out, because it may still complete before them. */
  readonly blockedBy: HudiInstant | undefined;
  /** Whether some of the writes are archived. */
  readonly hasArchived: boolean;
  /** Archived writes of layout 1 in the range, which are left out as in Hudi 0.15. */
  readonly leftOut: readonly HudiInstant[];
}

/** The writes that were completed in a range. @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid range; for a damaged archive */
export async function writesInRange(
  { timeline, properties }: HudiTable,
  range: HudiRange,
): Promise<WritesInRange> {
  const { from, to = "9" } = range;
  if (!/^\d{1,20}$/.test(from) || !/^\d{1,20}$/.test(to) || to < from) {
    throw invalidArgument(
      `invalid range: ${from} to ${range.to ?? "the latest"} (must be instants in order)`,
      {
        field: "from",
      },
    );
  }
  const active = [...timeline.completed.values()];
  if (properties.layout === 1) {
    const writes = active.filter(({ time }) => time > from && time <= to);
    const [pending] = await timeline.pendingWrites();
    const isBlocking = pending !== undefined && active.some(({ time }) => time > pending.time);
    const leftOut = await archivedWrites(timeline, timeline.start, range, ({ time }) => time);
    const rest = { hasArchived: false, leftOut };
    return isBlocking
      ? { ...rest, writes: writes.filter(({ time }) => time < pending.time), blockedBy: pending }
      : { ...rest, writes, blockedBy: undefined };
  }
  const completion = ({ completionTime = "" }: HudiInstant): string => completionTime;
  const writes = active.filter((write) => completion(write) > from && completion(write) <= to);
  // A savepoint keeps older writes active.
  const complete = active.filter(({ time }) => timeline.start === undefined || time >= timeline.start);
  const [first] = complete.map(completion).sort();
  const archived = await archivedWrites(timeline, first, range, completion);
  const hasArchived = archived.length > 0;
  return { writes: [...archived, ...writes], blockedBy: undefined, hasArchived, leftOut: [] };
}

/** Archived writes in a range. @param first the archive is read only for a range that starts before it */
async function archivedWrites(
  timeline: Timeline,
  first: string | undefined,
  { from, to = "9" }: HudiRange,
  timeOf: (instant: HudiInstant) => string,
): Promise<HudiInstant[]> {
  if (first !== undefined && from >= first) {
    return [];
  }
  return [...(await timeline.archived()).completed.values()].filter(
    (write) => timeOf(write) > from && timeOf(write) <= to && !timeline.completed.has(write.time),
  );
}

/**
 * The rows of writes in a range, in their versions at its end: the last version of a row that was written several times.
 *
 * As in Hudi, from version 8 on they include a late row in a log file that lost to a row of an earlier write. Rows of archived writes, or
 * of writes whose files have been cleaned, come in their latest versions. Partition columns of tables that encode partition paths have
 * their values as in the path. Below version 8, rows of archived writes are only those that later writes kept in their files.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid range; `E_HISTORY_GONE` below version 8 for files that have been cleaned; as
 *   scans
 */
export async function* changedRows(
  table: HudiTable,
  range: HudiRange,
  options: HudiChangeOptions = {},
): AsyncGenerator<HudiBatch, void, void> {
  const { writes, hasArchived } = await writesInRange(table, range);
  const columns = await tableColumns(table);
  if (writes.length === 0) {
    return;
  }
  // There is a write.
  const last = timesOf(writes).sort().at(-1) as string;
  const isOld = table.properties.version < 8;
  const affected = hasArchived ? undefined : await affectedSlices(table, writes, last);
  const slices = affected ?? (await allSlices(table));
  const { where } = options;
  const inRange = isOld
    ? spanOf(table, timesOf(writes).sort(), range)
    : [{ column: META.commitTime, op: "in" as const, values: timesOf(writes) }];
  const conditions = [...inRange, ...conditionList(where)];
  yield* scanSlices(table, columns, slices, {
    ...options,
    where: conditions,
    asOf: affected === undefined ? undefined : last,
    // Hudi 1.2 selects the rows of base files before it merges the logs, so a late row that lost to an earlier write shows up.
    baseCommits: affected === undefined || isOld ? undefined : new Set(timesOf(writes)),
    pathValues: table.properties.urlEncoded && !isOld,
  });
}

const timesOf = (writes: readonly HudiInstant[]): string[] => writes.map(({ time }) => time);

/** Hudi 0.15 selects rows between two times, which include rows of archived writes if later writes kept them in the same files. */
function spanOf({ properties }: HudiTable, times: readonly string[], { from }: HudiRange): NamedCondition[] {
  const column = META.commitTime;
  // There is a write.
  const [first, last] = [times[0], times.at(-1)] as [string, string];
  return [
    properties.type === "COPY_ON_WRITE"
      ? { column, op: ">=", value: first }
      : { column, op: ">", value: from },
    { column, op: "<=", value: last },
  ];
}

async function allSlices(table: HudiTable): Promise<FileSlice[]> {
  const slices: FileSlice[] = [];
  for (const partition of await table.partitions()) {
    slices.push(...(await table.slices(partition)));
  }
  return slices;
}

/**
 * The slices of the files of these writes; `undefined` if files are gone and the latest slices are read instead, as in Hudi 1.2.
 *
 * @throws {CFileError} `E_HISTORY_GONE` below version 8, when a slice has lost a file
 */
async function affectedSlices(
  table: HudiTable,
  writes: readonly HudiInstant[],
  last: string,
): Promise<FileSlice[] | undefined> {
  const { timeline, files, properties } = table;
  const byPartition = new Map<string, Set<string>>();
  for (const write of writes) {
    for (const { partition, path } of (await timeline.commit(write)).stats) {
      const names = byPartition.get(partition) ?? new Set();
      names.add(lastName(path));
      byPartition.set(partition, names);
    }
  }
  const rules = await table.sliceRules();
  const slices: FileSlice[] = [];
  for (const [partition, names] of byPartition) {
    const own = await latestSlices(partition, names, rules, last);
    const present = new Set(await files.fileNames(partition));
    const required =
      properties.version < 8
        ? own.flatMap(({ baseFile, logFiles }) =>
            baseFile === undefined ? logFiles : [baseFile, ...logFiles],
          )
        : [...names];
    const gone = required.find((name) => !present.has(name));
    if (gone !== undefined && properties.version < 8) {
      const path = files.nameOf(partition === "" ? gone : `${partition}/${gone}`);
      throw new CFileError("E_HISTORY_GONE", "a file that a write in the range wrote has been cleaned", {
        path,
      });
    }
    if (gone !== undefined) {
      return undefined;
    }
    slices.push(...own);
  }
  return slices;
}
