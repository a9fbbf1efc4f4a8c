/** Verifies a file or a table store. */
import { isCFileError } from "@cfile/bytes";
import type { HFileReader } from "@cfile/hfile";
import type { CFileReader } from "cfile";
import { verifyParquetPages } from "../parquet/verify-parquet.js";
import type { CliContext, ReadTable } from "../program/context.js";
import { EXIT, exitCodeOf } from "../program/exit-code.js";
import { counted, sum } from "../records/quantity.js";
import { directoryAt } from "../table-store/table-path.js";
import { fileKind } from "./file-kind.js";
import type { Findings, VerifySettings } from "./findings.js";

/** Damage that prevents opening is one problem; other failures are thrown. */
export async function verifyPath(
  context: CliContext,
  path: string,
  settings: VerifySettings,
): Promise<Findings> {
  const isTable = settings.isTable || (await directoryAt(path)) !== undefined;
  try {
    if (isTable) {
      return await context.withTable(path, (table) => verifyTable(table, settings));
    }
    switch (await fileKind(context.sources, path, settings.signal)) {
      case "hfile":
        return await context.withHFile(path, (file) => verifyHFileBlocks(file, settings));
      case "parquet":
        return await verifyParquetPages(context, path, settings);
      case "cfile":
        return await context.withFile(path, (file) => verifyFile(context, file, path, settings));
    }
  } catch (error) {
    return damageOf(error, isTable);
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

/** The check of a Bloom file includes that of the container. */
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
    // Without valid statistics it cannot be opened as a delta file; checking the container may find more.
    const damage = damageOf(error, false);
    const container = await verifyContainer(file, settings);
    return { ...damage, problems: [...container.problems, ...damage.problems] };
  }
}

async function verifyTable(table: ReadTable, { signal }: VerifySettings): Promise<Findings> {
  const reports = await table.verify({ signal });
  const files = sum(reports.map((report) => report.files));
  const rows = sum(reports.map((report) => report.rows));
  const liveRows = reports.every((report) => report.liveRows !== undefined)
    ? sum(reports.map((report) => report.liveRows ?? 0))
    : undefined;
  const live = liveRows === undefined ? "" : `, ${counted(liveRows, "live row")}`;
  return {
    ok: reports.every(({ ok }) => ok),
    problems: reports.flatMap(({ problems }) => problems),
    problemCount: sum(reports.map(({ problemCount }) => problemCount)),
    warnings: reports.flatMap(({ warnings }) => warnings),
    summary: `table, ${counted(files, "file")}, ${counted(rows, "base row")}${live}`,
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

/** @throws the error unless it is damage */
function damageOf(error: unknown, isTable: boolean): Findings {
  if (!isCFileError(error) || exitCodeOf(error) !== EXIT.corrupt) {
    throw error;
  }
  const { code, reason, offset, block, field, expected, actual, path } = error;
  const problem = { code, reason, offset, block, field, expected, actual, ...(isTable && { path }) };
  return { ok: false, problems: [problem], summary: "", facts: {} };
}

function unchecked(checksums: boolean): string {
  return checksums ? "" : ", no checksums";
}
