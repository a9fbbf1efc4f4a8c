/** Recovers a Parquet file without its footer, from its pages. */
import { printable } from "@cfile/cell-text";
import { fileSink } from "@cfile/io/file";
import type { RebuildLoss, RebuiltGroup, RebuiltParquet } from "@cfile/parquet/recover";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { startProgress } from "../program/output/progress.js";
import { counted, sizeText, sum } from "../records/quantity.js";
import { parseInlineSchema } from "../table/schema.js";
import type { ParquetRecovery } from "./parquet-recovery.js";

/** Sets exit code 3 when something is lost or guessed. */
export async function rebuildParquetFile(context: CliContext, recovery: ParquetRecovery): Promise<void> {
  const { source, target, lost, sync, json, like, schema, rowGroupRows, footer } = recovery;
  const { rebuildParquet, parseMessageType } = await import("@cfile/parquet/recover");
  const { signal } = context.io;
  const progress = startProgress(context.io, "recovering", 1);
  const input = await context.sources.open(source);
  const other = like === undefined ? undefined : await context.sources.open(like);
  try {
    const columns =
      schema === undefined
        ? undefined
        : /^\s*message\s/.test(schema)
          ? parseMessageType(schema)
          : parseInlineSchema(schema);
    const rebuilt = await rebuildParquet(input, await fileSink(target, { sync }), {
      ...{ like: other, schema: columns, rowGroupRows, lost, useFooter: footer, signal },
      onProgress: ({ done, total }) => progress.update(done / Math.max(1, total)),
    });
    progress.stop();
    const lines = json
      ? [JSON.stringify(rebuiltJson(target, rebuilt))]
      : rebuiltLines(source, target, rebuilt);
    await context.stdout.line(lines.join("\n"));
    context.exitCode = rebuilt.ok ? EXIT.ok : EXIT.corrupt;
  } finally {
    progress.stop();
    await input.close?.();
    await other?.close?.();
  }
}

const ORIGINS: Readonly<Record<RebuiltParquet["schemaFrom"], string>> = {
  footer: "its damaged footer",
  arrow: "the Arrow schema in its damaged footer",
  like: "the file of --like",
  given: "--schema",
  guessed: "its pages (a guess)",
};

function rebuiltLines(source: string, target: string, rebuilt: RebuiltParquet): string[] {
  const { columns, schemaFrom, losses, groups, rows, bytes, pagesKept, pagesRewritten, pagesLost, isCut } =
    rebuilt;
  const rewritten = pagesRewritten === 0 ? "" : `, ${counted(pagesRewritten, "page")} rewritten`;
  return [
    `${printable(source)}: ${counted(columns.length, "column")}, schema from ${ORIGINS[schemaFrom]}`,
    ...(schemaFrom === "guessed"
      ? [`  guessed: ${columns.map(({ path, type }) => `${printable(path)} ${type}`).join(", ")}`]
      : []),
    ...losses.map(lossLine),
    ...groups.flatMap((group, i) => (isWhole(group) ? [] : [groupLine(group, i)])),
    ...guessedLines(groups, schemaFrom === "like"),
    ...(isCut ? ["  the end of the file is missing: it may have had more rows"] : []),
    `${printable(target)}: ${counted(rows, "row")} saved, ${counted(pagesKept, "page")} kept${rewritten}, ${pagesLost} lost, ${sizeText(bytes)}`,
  ];
}

function lossLine({ part, offset, size, column, rowGroup, rows, reason }: RebuildLoss): string {
  const place = offset === undefined ? "" : ` at ${offset} (${counted(size ?? 0, "byte")})`;
  const owner = column === undefined ? "" : `, column ${printable(column)}`;
  const group = rowGroup === undefined ? "" : `, row group ${rowGroup}`;
  const range = rows === undefined || rows.to === rows.from ? "" : ` (rows ${rows.from} to ${rows.to - 1})`;
  return `  lost: ${part}${place}${owner}${group}${range}: ${printable(reason)}`;
}

/** Whether the report can omit a row group. */
function isWhole({ isComplete, isCertain, isGuessed }: RebuiltGroup): boolean {
  return isComplete && (isCertain || isGuessed);
}

function guessedLines(groups: readonly RebuiltGroup[], isLike: boolean): string[] {
  const guessed = groups.filter(({ isGuessed, rowsKept }) => isGuessed && rowsKept > 0);
  const rows = counted(sum(guessed.map(({ rowsKept }) => rowsKept)), "row");
  const why = isLike
    ? "the file of --like decides which pages belong to which column of the same type"
    : "pages are missing, and those left may be of other rows or of another column of the same type";
  return guessed.length === 0
    ? []
    : [`  guessed: columns of ${rows} in ${counted(guessed.length, "row group")}: ${why}`];
}

function groupLine({ rows, rowsKept }: RebuiltGroup, index: number): string {
  const total = rows === undefined ? "an unknown number of" : `${rows}`;
  return `  row group ${index}: ${rowsKept} of ${total} rows saved`;
}

function rebuiltJson(path: string, { rows, bytes, rowGroups, ...ledger }: RebuiltParquet): object {
  const others = ledger.others.map(({ kind, offset, size }) => ({ kind, offset, size }));
  return { path, rows, bytes, row_groups: rowGroups, ledger: { ...ledger, others } };
}
