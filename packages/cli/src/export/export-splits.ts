/** Exports splits into one file or directory. */
import { lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RowSetColumn } from "@cfile/rowset";
import type { Split } from "@cfile/splits";
import { formOfName, type TableForm } from "../convert/table-form.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { startProgress } from "../program/output/progress.js";
import { threadCount } from "../program/worker-thread.js";
import { sum } from "../records/quantity.js";
import { type ExportForm, ExportParts, type PartReport } from "./export-parts.js";
import { ExportThreads } from "./export-threads.js";
import { joinParts, partForm } from "./join-parts.js";
import { joinedFile } from "./joined-file.js";
import type { OpenSource, PartSettings } from "./part-source.js";
import { runParts, unitOf } from "./run-parts.js";

/** What is exported, and where. */
export interface SplitExport extends Omit<PartSettings, "form" | "joined"> {
  readonly source: OpenSource;
  /** At least one. */
  readonly splits: readonly Split[];
  readonly columns: readonly RowSetColumn[];
  readonly target: string;
  readonly form: ExportForm;
  /** The Iceberg table, for that format. */
  readonly table?: PartsTable | undefined;
  readonly jobs: number | undefined;
  /** Called with the number of rows read so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
  /** Threads that have been started already. They end with the export. */
  readonly threads?: ExportThreads | undefined;
}

/** A table whose data files are the parts. */
export interface PartsTable {
  readonly dataFolder: string;
  commit(stored: ExportParts, written: readonly Split[]): Promise<void>;
}

/** The parts of the result, and whether it was written. */
export interface WrittenParts {
  readonly isWritten: boolean;
  readonly parts: readonly { readonly split: Split; readonly report: PartReport }[];
  /** Bytes of the file; `undefined` for a directory. */
  readonly bytes: number | undefined;
  /** Number of parts reused from an interrupted export. */
  readonly resumed: number;
}

/** The format of a target: `to`, else the format of its name, else CFiles. @throws UsageError for table stores */
export function exportForm(target: string, to: ExportForm | TableForm | undefined): ExportForm {
  const form = to ?? formOfName(target) ?? "cfile";
  if (form === "rowset") {
    throw new UsageError(
      `unsupported format: rowset (export as Parquet, then use "cfile convert --to rowset")`,
    );
  }
  return form;
}

/**
 * Writes the parts that are missing, several at a time, and joins all of them.
 *
 * @param isWanted if it returns false for the parts, nothing is written
 * @throws {CFileError} as `writeSplit`; complete parts remain for the next attempt
 */
export async function exportSplits(
  context: CliContext,
  {
    source,
    splits,
    columns,
    target,
    form,
    table,
    jobs: given,
    onRows,
    threads: started,
    ...shared
  }: SplitExport,
  isWanted: (parts: WrittenParts["parts"]) => boolean = () => true,
): Promise<WrittenParts> {
  const whole = target.replace(/[\\/]+$/, "");
  const folder = table?.dataFolder ?? `${whole}.parts`;
  // The target of a symbolic link can be on another file system.
  const isJoined = form === "parquet" && splits.length > 1 && !(await isLink(whole));
  const joined = isJoined ? joinedFile(join(folder, "joined.parquet"), splits.length) : undefined;
  const settings = { ...shared, form: partForm(form), joined };
  const jobs = threadCount(given, splits.length);
  await using threads = started ?? new ExportThreads(Math.min(jobs, splits.length) - 1, context.io.signal);
  threads.begin(settings);
  const stored = await ExportParts.open(
    folder,
    {
      form: settings.form,
      codec: settings.codec,
      logEndOf: (split) => logEndOf(settings.origin, split),
      joined,
    },
    splits,
  );
  const resumed = stored.reports.size;
  const rows = sum(splits.map((split) => split.rows));
  const progress = startProgress(context.io, "exporting", rows);
  const work = { source, splits, parts: stored, settings, jobs, threads };
  const written = await runParts(context, work, (done) => {
    progress.update(done);
    onRows?.(done);
  }).finally(progress.stop);
  const parts = written.map((split) => ({ split, report: stored.report(split) }));
  if (!isWanted(parts)) {
    await stored.remove();
    return { isWritten: false, parts, bytes: undefined, resumed };
  }
  if (form === "iceberg") {
    await table?.commit(stored, written);
    return { isWritten: true, parts, bytes: undefined, resumed };
  }
  const joinTarget = form === "cfile" ? `${whole}/` : target;
  await joinParts(context, { target: joinTarget, form, columns, stored, written });
  await stored.remove();
  const { size } = await stat(whole);
  return { isWritten: true, parts, bytes: form === "cfile" ? undefined : size, resumed };
}

/** The end of the log of the split's tablet, if the tablet is divided: all of its parts read the log up to that point. */
function logEndOf(origin: PartSettings["origin"], split: Split): string | undefined {
  return origin.kind === "kudu" ? JSON.stringify(origin.logEnds?.[unitOf(split)]) : undefined;
}

async function isLink(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true;
}
