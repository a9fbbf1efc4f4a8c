/** The structure of a CFile, Bloom file, delta file, HFile or table store. */
import type { ByteSource } from "@cfile/io";
import type { CFileReader } from "cfile";
import type { CliContext } from "../program/context.js";
import { directoryAt } from "../table-store/table-path.js";
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
    const { tableReport } = await import("../table-store/table-report.js");
    return context.withTableStore(path, async (table) => tableReport(table, path, options.style));
  }
  const kind = await fileKind(context.sources, path, options.signal);
  if (kind === "hfile") {
    const { hfileReport } = await import("../hfile/hfile-report.js");
    return context.withHFile(path, async (file) => hfileReport(file, path, options));
  }
  if (kind === "parquet") {
    const { parquetReport } = await import("../parquet/parquet-report.js");
    return withSource(context, path, (source) =>
      parquetReport(source, path, { ...options, keys: context.sources.parquetKeys }),
    );
  }
  return context.withFile(path, async (file) =>
    fileReport(file, path, options, await ownSections(context, file, path, options)),
  );
}

/** JSON with stable names. */
export async function pathJson(context: CliContext, path: string): Promise<object> {
  const { signal } = context.io;
  if ((await directoryAt(path)) !== undefined) {
    const { tableJson } = await import("../table-store/table-report.js");
    return context.withTableStore(path, async (table) => tableJson(table));
  }
  const kind = await fileKind(context.sources, path, signal);
  if (kind === "hfile") {
    return context.withHFile(path, (await import("../hfile/hfile-report.js")).hfileJson);
  }
  if (kind === "parquet") {
    const { parquetJson } = await import("../parquet/parquet-json.js");
    return withSource(context, path, (source) =>
      parquetJson(source, { signal, keys: context.sources.parquetKeys }),
    );
  }
  return context.withFile(path, async (file) => {
    const json = await fileJson(file, { signal });
    switch (file.kind) {
      case "bloom": {
        const report = await import("../bloom/bloom-report.js");
        const description = await context.withBloomFile(path, (bloom) =>
          report.describeBloomFile(bloom, signal),
        );
        return { ...json, bloom: report.bloomJson(description) };
      }
      case "delta": {
        const report = await import("../delta/delta-report.js");
        const description = await context.withDeltaFile(path, (delta) =>
          report.describeDeltaFile(delta, signal),
        );
        return { ...json, delta: report.deltaJson(description) };
      }
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
  { maxBlocks, signal }: ReportOptions,
): Promise<OwnSections> {
  switch (kind) {
    case "bloom": {
      const report = await import("../bloom/bloom-report.js");
      const description = await context.withBloomFile(path, (file) => report.describeBloomFile(file, signal));
      return {
        summary: ["Bloom filters", report.bloomSummaryLines(description)],
        blocks: ["Filters", report.bloomFilterLines(description, maxBlocks)],
      };
    }
    case "delta": {
      const report = await import("../delta/delta-report.js");
      const description = await context.withDeltaFile(path, (file) => report.describeDeltaFile(file, signal));
      return { summary: ["Changes", report.deltaLines(description)] };
    }
    case "column":
      return {};
  }
}
