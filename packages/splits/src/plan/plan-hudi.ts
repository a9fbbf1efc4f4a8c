/**
 * Splits of a Hudi table: its file slices. A record key is in at most one of them, so each can be read by itself. The code for Hudi tables
 * is loaded lazily.
 */
import type { FileSlice, HudiTable } from "@cfile/hudi";
import type { SlicePiece, SliceSplit, SplitFile } from "../lines/split.js";
import { identifiedSplit } from "../lines/split-line.js";
import { neededColumns, type PlanOptions } from "./plan-options.js";
import { type Divisible, groupsOf, mapAtOnce, targetBytes } from "./split-groups.js";
import { unlessDamaged } from "./undamaged.js";

/** Options of {@link planHudi}. */
export interface HudiPlanOptions extends PlanOptions {
  /** Path or URL of the table, as readers of the splits open it. */
  readonly table: string;
  /** The instant to read as of. Default: the latest. */
  readonly asOf?: string | undefined;
  /** Whether to skip log files. Default `false`. */
  readonly readOptimized?: boolean | undefined;
}

/**
 * Plans splits of a Hudi table, at least one. Columns with nested values cannot be requested. Reads the footer of each base file; rows that
 * are only in log files are not estimated.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns; `E_HISTORY_GONE` for an instant that the cleaner has passed; for damage
 */
export async function planHudi(table: HudiTable, options: HudiPlanOptions): Promise<SliceSplit[]> {
  const { asOf, readOptimized = false, signal } = options;
  const { flatColumns, scanColumns, scannedSlices } = await import("@cfile/hudi");
  const flat = flatColumns(await scanColumns(table, { asOf, baseOnly: false }));
  const known = flat.map((column, id) => ({ ...column, id, isKey: false }));
  const { schema, columns, where } = neededColumns({ columns: known }, options);
  const scanned = await scannedSlices(table, { asOf, where, readOptimized });
  const slices = readOptimized ? scanned.flatMap(withoutLogs) : scanned;
  const wholes = await mapAtOnce(slices, signal, (slice) => wholeSlice(table, slice));
  const common = { kind: "hudi", schema, columns, where, table: options.table, instant: asOf } as const;
  const groups = groupsOf(wholes, targetBytes(options.targetBytes));
  // The file of an empty table also has its columns.
  const all = groups.length > 0 ? groups : [{ pieces: [], rows: 0, bytes: 0 }];
  return Promise.all(all.map((group, number) => identifiedSplit({ number, ...common, ...group })));
}

function withoutLogs(slice: FileSlice): FileSlice[] {
  return slice.baseFile === undefined ? [] : [{ ...slice, logFiles: [] }];
}

async function wholeSlice({ files }: HudiTable, slice: FileSlice): Promise<Divisible<SlicePiece>> {
  const { partition, fileId, baseInstant: instant, baseFile, logFiles } = slice;
  const pathOf = (name: string): string => (partition === "" ? name : `${partition}/${name}`);
  const stated = async (name: string): Promise<SplitFile> => ({
    path: name,
    size: await files.size(pathOf(name)),
  });
  const base = baseFile === undefined ? undefined : await stated(baseFile);
  const logs = await Promise.all(logFiles.map(stated));
  const rows = base && (await unlessDamaged(() => rowsIn(files.open(pathOf(base.path)))));
  const bytes = [base, ...logs].reduce((sum, file) => sum + (file?.size ?? 0), 0);
  return { piece: { partition, fileId, instant, base, logs }, rows: rows ?? 0, bytes };
}

async function rowsIn(source: ReturnType<HudiTable["files"]["open"]>): Promise<number> {
  const { openParquet } = await import("@cfile/parquet");
  await using file = await openParquet(await source);
  return file.rowCount;
}
