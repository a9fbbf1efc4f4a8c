/** Verifies all files of a table, and that timeline, metadata table and storage agree. */
import { CFileError, type WorkOptions } from "@cfile/bytes";
import { METADATA_FOLDER } from "../metadata/metadata-table.js";
import { parseFileName } from "../slices/file-names.js";
import type { HudiTable } from "../table/hudi-table.js";
import { listPartitions } from "../table/list-partitions.js";
import { lastName } from "../table/table-files.js";
import { entriesOf, itemsOf, recordOf, textOf } from "../timeline/content-fields.js";
import { Findings } from "./findings.js";
import { verifyDeep } from "./verify-deep.js";
import { verifyFile } from "./verify-file.js";

/** `onProgress` counts files. */
export interface HudiVerifyOptions extends WorkOptions {
  /** Whether all rows are read and compared with the record index and the column statistics. Default `false`. */
  readonly deep?: boolean | undefined;
  /** Called for each problem as it is found. */
  readonly onProblem?: ((problem: CFileError) => void) | undefined;
}

/** The result of a verification. */
export interface HudiReport {
  readonly ok: boolean;
  readonly problemCount: number;
  /** Data files and log files of completed writes, and files of the metadata table, that were read. */
  readonly files: number;
  readonly bytes: number;
  /** Rows compared with the record index; 0 unless `deep`. */
  readonly rows: number;
  /** Files that no commit names: left behind by killed writers, or written by pending instants. */
  readonly unnamed: readonly string[];
  /** Number of these files that were not read, because their writes never completed and they may be incomplete. */
  readonly unread: number;
}

/**
 * Checks every block and page of all files, and that the files on storage are those that timeline and metadata table name.
 * @throws {CFileError} `E_IO` when storage fails; the signal's reason; damage is in the report
 */
export async function verifyTable(table: HudiTable, options: HudiVerifyOptions = {}): Promise<HudiReport> {
  const { signal, onProgress, deep = false } = options;
  const findings = new Findings(options.onProblem);
  const stored = await storedFiles(table);
  const metadataFiles = await filesOfMetadata(table);
  const committed = [...stored.keys()].filter((path) => isCommitted(table, path));
  const paths = [...committed, ...metadataFiles];
  let done = 0;
  for (const path of paths) {
    signal?.throwIfAborted();
    await findings.attempt(table.files.nameOf(path), () => verifyFile(table, path, findings));
    onProgress?.({ done: ++done, total: paths.length });
  }
  const { metadata } = table;
  await findings.attempt(table.files.nameOf(table.properties.archiveFolder), () => table.archivedInstants());
  await findings.attempt(table.files.nameOf(METADATA_FOLDER), async () => {
    await metadata?.validInstants();
    await (await metadata?.timeline())?.archived();
  });
  for (const partition of metadata?.partitions ?? []) {
    const path = table.files.nameOf(`${METADATA_FOLDER}/${partition}`);
    await findings.attempt(path, async () => metadata?.requireGroups(partition));
  }
  await findings.attempt(table.files.nameOf(METADATA_FOLDER), () => compareMetadata(table, stored, findings));
  const named = await compareTimeline(table, stored, findings);
  let rows = 0;
  if (deep) {
    await findings.attempt(table.files.tree.name, async () => {
      rows = await verifyDeep(table, findings, signal);
    });
  }
  const { problemCount, files, bytes } = findings;
  const unnamed = [...stored.keys()].filter((path) => !named.has(path)).sort();
  const unread = stored.size - committed.length;
  return { ok: problemCount === 0, problemCount, files, bytes, rows, unnamed, unread };
}

/** Whether a data file belongs to a completed write. Killed writers leave incomplete files behind. */
function isCommitted({ timeline }: HudiTable, path: string): boolean {
  const time = timeOf(path);
  // The time of a log file in layout 1 may be that of a pending compaction; its blocks state their writes.
  const isShared = timeline.properties.layout === 1 && parseFileName(lastName(path))?.kind === "log";
  return isShared || time === undefined || timeline.isCompletedWrite(time);
}

/** The requested time in the name of a file. */
function timeOf(path: string): string | undefined {
  const file = parseFileName(lastName(path));
  return file?.kind === "base" ? file.instant : file?.time;
}

/** Data files on storage, by path, with their sizes. */
async function storedFiles({ files }: HudiTable): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  for (const { path, names } of await listPartitions(files)) {
    for (const name of names) {
      const file = path === "" ? name : `${path}/${name}`;
      stored.set(file, await files.size(file));
    }
  }
  return stored;
}

async function filesOfMetadata({ metadata }: HudiTable): Promise<string[]> {
  const paths: string[] = [];
  if (metadata === undefined) {
    return paths;
  }
  for (const partition of metadata.partitions) {
    const names = await metadata.fileNames(partition);
    paths.push(...names.filter(parseFileName).map((name) => `${METADATA_FOLDER}/${partition}/${name}`));
  }
  return paths;
}

/** Requires that storage has the files that the metadata table lists, with their sizes. */
async function compareMetadata(
  table: HudiTable,
  stored: ReadonlyMap<string, number>,
  findings: Findings,
): Promise<void> {
  if (table.metadata === undefined) {
    return;
  }
  for (const partition of await table.partitions()) {
    for (const [name, size] of await table.filesOf(partition)) {
      const path = partition === "" ? name : `${partition}/${name}`;
      const actual = stored.get(path);
      // Version 6 states size 1 for logs of delta commits that were rolled back.
      const isKnownWrong = table.properties.version < 8 && size === 1 && name.startsWith(".");
      if (actual === undefined) {
        // An interrupted rollback may have removed files of its write.
        if (isCommitted(table, path)) {
          findings.add(missing(table, path, "the metadata table"));
        }
      } else if (actual !== size && !isKnownWrong) {
        const reason = `size mismatch (expected ${size}, from the metadata table, found ${actual})`;
        const details = { path: table.files.nameOf(path), field: "size", expected: size, actual };
        findings.add(new CFileError("E_CORRUPT", reason, details));
      }
    }
  }
}

/** Requires that storage has the files of completed writes that no clean removed. @returns paths of all named files */
async function compareTimeline(
  table: HudiTable,
  stored: ReadonlyMap<string, number>,
  findings: Findings,
): Promise<Set<string>> {
  const named = new Set<string>();
  const cleaned = await cleanedFiles(table, findings);
  for (const write of table.timeline.completed.values()) {
    await findings.attempt(write.file, async () => {
      for (const { path } of (await table.timeline.commit(write)).stats) {
        named.add(path);
        if (!stored.has(path) && !cleaned.has(lastName(path))) {
          findings.add(missing(table, path, `${write.action} ${write.time}`));
        }
      }
    });
  }
  for (const path of stored.keys()) {
    const time = timeOf(path);
    if (time !== undefined && table.timeline.isArchived(time)) {
      named.add(path);
    }
  }
  return named;
}

/** Names of files that completed cleans removed. */
async function cleanedFiles({ timeline }: HudiTable, findings: Findings): Promise<Set<string>> {
  const cleaned = new Set<string>();
  for (const instant of timeline.instants) {
    if (instant.action !== "clean" || instant.state !== "COMPLETED") {
      continue;
    }
    await findings.attempt(instant.file, async () => {
      const content = await timeline.content(instant);
      for (const field of ["partitionMetadata", "bootstrapPartitionMetadata"]) {
        for (const [, value] of entriesOf(content?.[field], field)) {
          const partition = recordOf(value, field);
          for (const list of ["deletePathPatterns", "successDeleteFiles"]) {
            for (const path of itemsOf(partition[list], list)) {
              cleaned.add(lastName(textOf(path, list) ?? ""));
            }
          }
        }
      }
    });
  }
  return cleaned;
}

function missing(table: HudiTable, path: string, by: string): CFileError {
  const details = { path: table.files.nameOf(path), field: "file" };
  return new CFileError("E_BLOCK_MISSING", `file is missing: ${by} names it`, details);
}
