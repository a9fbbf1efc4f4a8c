/** What a path leads to, described: a column, Bloom or delta file, or a row set. */
import type { CFileReader } from "cfile";
import { bloomFilterLines, bloomJson, bloomSummaryLines, describeBloomFile } from "../bloom/bloom-report.js";
import { deltaJson, deltaLines, describeDeltaFile } from "../delta/delta-report.js";
import { hfileJson, hfileReport } from "../hfile/hfile-report.js";
import type { CliContext } from "../program/context.js";
import { rowSetFolder } from "../table-store/row-set-path.js";
import { rowSetJson, rowSetReport } from "../table-store/row-set-report.js";
import { fileJson } from "./file-json.js";
import { fileReport, type OwnSections, type ReportOptions } from "./file-report.js";

type Json = Readonly<Record<string, unknown>>;

/** For people. */
export async function pathReport(
  context: CliContext,
  path: string,
  options: ReportOptions,
): Promise<readonly string[]> {
  const folder = await rowSetFolder(path);
  if (folder !== undefined) {
    return context.withRowSet(folder, async (rowSet) => rowSetReport(rowSet, path, options.style));
  }
  if (await context.isHFile(path)) {
    return context.withHFile(path, async (file) => hfileReport(file, path, options));
  }
  return context.withFile(path, async (file) =>
    fileReport(file, path, options, await ownSections(context, file, path, options)),
  );
}

/** As JSON, with stable names. */
export async function pathJson(context: CliContext, path: string): Promise<Json> {
  const folder = await rowSetFolder(path);
  if (folder !== undefined) {
    return context.withRowSet(folder, async (rowSet) => rowSetJson(rowSet));
  }
  if (await context.isHFile(path)) {
    return context.withHFile(path, hfileJson);
  }
  return context.withFile(path, async (file) => ({
    ...(await fileJson(file, { signal: context.io.signal })),
    ...(await ownJson(context, file, path)),
  }));
}

async function ownSections(
  context: CliContext,
  { kind }: CFileReader,
  path: string,
  { mostBlocks, signal }: ReportOptions,
): Promise<OwnSections> {
  switch (kind) {
    case "bloom": {
      const description = await context.withBloomFile(path, (file) => describeBloomFile(file, signal));
      return {
        summary: { title: "Bloom filters", lines: bloomSummaryLines(description) },
        blocks: { title: "Filters", lines: bloomFilterLines(description, mostBlocks) },
      };
    }
    case "delta": {
      const lines = await context.withDeltaFile(path, async (file) =>
        deltaLines(await describeDeltaFile(file, signal)),
      );
      return { summary: { title: "Changes", lines } };
    }
    case "column":
      return {};
  }
}

async function ownJson(context: CliContext, { kind }: CFileReader, path: string): Promise<Json> {
  const { signal } = context.io;
  switch (kind) {
    case "bloom":
      return {
        bloom: await context.withBloomFile(path, async (file) =>
          bloomJson(await describeBloomFile(file, signal)),
        ),
      };
    case "delta":
      return {
        delta: await context.withDeltaFile(path, async (file) =>
          deltaJson(await describeDeltaFile(file, signal)),
        ),
      };
    case "column":
      return {};
  }
}
