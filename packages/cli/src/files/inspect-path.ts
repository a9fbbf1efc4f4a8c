/** The structure of what a path leads to: a CFile, Bloom file, delta file, HFile or table store. */
import type { ByteSource } from "@cfile/io";
import type { CFileReader } from "cfile";
import { bloomFilterLines, bloomJson, bloomSummaryLines, describeBloomFile } from "../bloom/bloom-report.js";
import { deltaJson, deltaLines, describeDeltaFile } from "../delta/delta-report.js";
import { hfileJson, hfileReport } from "../hfile/hfile-report.js";
import { parquetJson } from "../parquet/parquet-json.js";
import { parquetReport } from "../parquet/parquet-report.js";
import type { CliContext } from "../program/context.js";
import { directoryAt } from "../table-store/table-path.js";
import { tableJson, tableReport } from "../table-store/table-report.js";
import { fileJson } from "./file-json.js";
import { fileKind } from "./file-kind.js";
import { fileReport, type OwnSections, type ReportOptions } from "./file-report.js";

/** Human-readable lines. */
export async function pathReport(
  context: CliContext,
  path: string,
  options: ReportOptions,
): Promise<readonly string[]> {
  if ((await directoryAt(path)) !== undefined) {
    return context.withTableStore(path, async (table) => tableReport(table, path, options.style));
  }
  const kind = await fileKind(context.sources, path, options.signal);
  if (kind === "hfile") {
    return context.withHFile(path, async (file) => hfileReport(file, path, options));
  }
  if (kind === "parquet") {
    return withSource(context, path, (source) => parquetReport(source, path, options));
  }
  return context.withFile(path, async (file) =>
    fileReport(file, path, options, await ownSections(context, file, path, options)),
  );
}

/** JSON with stable names. */
export async function pathJson(context: CliContext, path: string): Promise<object> {
  const { signal } = context.io;
  if ((await directoryAt(path)) !== undefined) {
    return context.withTableStore(path, async (table) => tableJson(table));
  }
  const kind = await fileKind(context.sources, path, signal);
  if (kind === "hfile") {
    return context.withHFile(path, hfileJson);
  }
  if (kind === "parquet") {
    return withSource(context, path, (source) => parquetJson(source, signal));
  }
  return context.withFile(path, async (file) => {
    const json = await fileJson(file, { signal });
    switch (file.kind) {
      case "bloom":
        return { ...json, bloom: bloomJson(await bloomDescription(context, path)) };
      case "delta":
        return { ...json, delta: deltaJson(await deltaDescription(context, path)) };
      case "column":
        return json;
    }
  });
}

async function withSource<T>(
  { sources }: CliContext,
  path: string,
  use: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const source = await sources.open(path);
  try {
    return await use(source);
  } finally {
    await source.close?.();
  }
}

async function ownSections(
  context: CliContext,
  { kind }: CFileReader,
  path: string,
  { maxBlocks }: ReportOptions,
): Promise<OwnSections> {
  switch (kind) {
    case "bloom": {
      const description = await bloomDescription(context, path);
      return {
        summary: ["Bloom filters", bloomSummaryLines(description)],
        blocks: ["Filters", bloomFilterLines(description, maxBlocks)],
      };
    }
    case "delta":
      return { summary: ["Changes", deltaLines(await deltaDescription(context, path))] };
    case "column":
      return {};
  }
}

const bloomDescription = (context: CliContext, path: string) =>
  context.withBloomFile(path, (file) => describeBloomFile(file, context.io.signal));

const deltaDescription = (context: CliContext, path: string) =>
  context.withDeltaFile(path, (file) => describeDeltaFile(file, context.io.signal));
