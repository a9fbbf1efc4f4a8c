/** Everything that can be wrong with what a path leads to. */
import { isCFileError } from "@cfile/bytes";
import type { DeltaKind } from "@cfile/deltafile";
import type { DeltaProblem } from "@cfile/deltafile/read";
import type { HFileReader } from "@cfile/hfile";
import type { RowSetProblem } from "@cfile/rowset/verify";
import type { CFileReader, VerifyProblem } from "cfile";
import { isParquetFile } from "../parquet/is-parquet.js";
import { verifyParquetPages } from "../parquet/verify-parquet.js";
import type { CliContext, ReadTable } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import { counted } from "../records/quantity.js";
import { rowSetFolder } from "../table-store/row-set-path.js";

/** Of a single file, or of a row set's. */
export type Problem = VerifyProblem & Partial<DeltaProblem> & Partial<RowSetProblem>;

export interface Findings {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** Problems met, those not listed included. */
  readonly problemCount?: number | undefined;
  /** What is not wrong, but should not be. */
  readonly warnings?: readonly Problem[] | undefined;
  /** What was looked at, for people. */
  readonly summary: string;
  /** The same, by name. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface VerifySettings {
  /** Of delta files. */
  readonly kind: DeltaKind | undefined;
  /** Whether a row set is expected. */
  readonly isRowSet: boolean;
  readonly signal: AbortSignal | undefined;
  /** Takes the part that is done, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** What cannot even be opened because of what is in it has one problem; other failures go on up. */
export async function verifyPath(
  context: CliContext,
  path: string,
  settings: VerifySettings,
): Promise<Findings> {
  const isRowSet = settings.isRowSet || (await rowSetFolder(path)) !== undefined;
  try {
    if (isRowSet) {
      return await context.withTable(path, (rowSet) => verifyRowSetFiles(rowSet, settings));
    }
    if (await context.isHFile(path)) {
      return await context.withHFile(path, (file) => verifyHFileBlocks(file, settings));
    }
    if (await isParquetFile(context, path)) {
      return await verifyParquetPages(context, path, settings);
    }
    return await context.withFile(path, (file) => verifyFile(context, file, path, settings));
  } catch (error) {
    return damageOf(error, isRowSet);
  }
}

function verifyFile(
  context: CliContext,
  file: CFileReader,
  path: string,
  settings: VerifySettings,
): Promise<Findings> {
  switch (file.kind) {
    case "bloom":
      return verifyBloom(context, path, settings);
    case "delta":
      return verifyDelta(context, file, path, settings);
    case "column":
      return verifyContainer(file, settings);
  }
}

async function verifyContainer(file: CFileReader, { signal, onProgress }: VerifySettings): Promise<Findings> {
  const report = await file.verify({
    signal,
    onProgress: ({ done, total }) => onProgress(done / total),
  });
  const { ok, problems, ...facts } = report;
  const { rows, dataBlocks, indexBlocks, checksums } = facts;
  const blocks = `${counted(dataBlocks, "data block")}, ${counted(indexBlocks, "index block")}`;
  return { ok, problems, summary: `${counted(rows, "row")}, ${blocks}${unchecked(checksums)}`, facts };
}

/** The Bloom file's own check includes that of the container. */
function verifyBloom(context: CliContext, path: string, { signal }: VerifySettings): Promise<Findings> {
  return context.withBloomFile(path, async (bloom) => {
    const { ok, problems, warnings, blocks, checksums } = await bloom.verify({ signal });
    const summary = `Bloom file, ${counted(blocks, "filter")}${unchecked(checksums)}`;
    return { ok, problems, warnings, summary, facts: { kind: "bloom", blocks, checksums } };
  });
}

async function verifyDelta(
  context: CliContext,
  file: CFileReader,
  path: string,
  settings: VerifySettings,
): Promise<Findings> {
  const { kind: deltaKind, signal } = settings;
  try {
    return await context.withDeltaFile(path, async (delta) => {
      const report = await delta.verify({ kind: deltaKind, signal });
      const { ok, problems, problemCount, entries, dataBlocks, checksums } = report;
      const contents = `${counted(entries, "change")}, ${counted(dataBlocks, "data block")}`;
      const summary = `${deltaKind?.toUpperCase() ?? "delta"} file, ${contents}${unchecked(checksums)}`;
      const facts = { kind: "delta", deltaKind, entries, dataBlocks, checksums };
      return { ok, problems, problemCount, summary, facts };
    });
  } catch (error) {
    // Without sound statistics it cannot be opened as a delta file; the container may tell more.
    const damage = damageOf(error, false);
    const container = await verifyContainer(file, settings);
    return { ...damage, problems: [...container.problems, ...damage.problems] };
  }
}

async function verifyRowSetFiles(rowSet: ReadTable, { signal }: VerifySettings): Promise<Findings> {
  const reports = await rowSet.verify({ signal });
  const sum = (countOf: (report: (typeof reports)[number]) => number): number =>
    reports.reduce((total, report) => total + countOf(report), 0);
  const isLiveKnown = reports.every(({ liveRows }) => liveRows !== undefined);
  const files = sum((report) => report.files);
  const rows = sum((report) => report.rows);
  const liveRows = isLiveKnown ? sum((report) => report.liveRows ?? 0) : undefined;
  const live = liveRows === undefined ? "" : `, ${counted(liveRows, "live row")}`;
  return {
    ok: reports.every(({ ok }) => ok),
    problems: reports.flatMap(({ problems }) => problems),
    problemCount: sum(({ problemCount }) => problemCount),
    warnings: reports.flatMap(({ warnings }) => warnings),
    summary: `row set, ${counted(files, "file")}, ${counted(rows, "base row")}${live}`,
    facts: { kind: "rowset", rowSets: reports.length, files, rows, liveRows },
  };
}

async function verifyHFileBlocks(file: HFileReader, { signal }: VerifySettings): Promise<Findings> {
  const { ok, problems, problemCount, entries, blocks, chunks } = await file.verify({ signal });
  return {
    ok,
    problems,
    problemCount,
    summary: `HFile, ${counted(entries, "cell")}${unchecked(chunks > 0)}`,
    facts: { kind: "hfile", entries, blocks, chunks },
  };
}

/** @throws what is no damage */
function damageOf(error: unknown, isRowSet: boolean): Findings {
  if (!isCFileError(error) || exitCodeOf(error) !== EXIT.corrupt) {
    throw error;
  }
  const { code, reason, offset, block, field, expected, actual, path } = error;
  const problem = { code, reason, offset, block, field, expected, actual, ...(isRowSet && { path }) };
  return { ok: false, problems: [problem], summary: "", facts: {} };
}

function unchecked(checksums: boolean): string {
  return checksums ? "" : ", no checksums";
}
