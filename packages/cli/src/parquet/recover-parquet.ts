/** Copies the undamaged pages of a Parquet file into a new one. */
import { isDamage } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { readExactly, sizeOf } from "@cfile/io";
import { fileSink } from "@cfile/io/file";
import type { ParquetLoss } from "@cfile/parquet";
import type { RecoveredParquet } from "@cfile/parquet/recover";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { startProgress } from "../program/output/progress.js";
import { counted, sizeText, sum } from "../records/quantity.js";
import type { ParquetRecovery } from "./parquet-recovery.js";
import { rebuildParquetFile } from "./rebuild-parquet.js";
import { lossText } from "./verify-parquet.js";

/**
 * Sets exit code 3 when something is lost. Without a usable footer, and when the rest of a chunk cannot be reached because of a damaged
 * page header, the pages are recovered as they are.
 */
export async function recoverParquetFile(context: CliContext, recovery: ParquetRecovery): Promise<void> {
  const { like, schema, rowGroupRows, footer } = recovery;
  const isGiven =
    like !== undefined || schema !== undefined || rowGroupRows !== undefined || footer === false;
  if (isGiven || !(await hasFooter(context, recovery.source)) || !(await recoverRows(context, recovery))) {
    await rebuildParquetFile(context, recovery);
  }
}

/** Whether the footer is valid, and the file has not lost its start. */
async function hasFooter({ sources }: CliContext, path: string): Promise<boolean> {
  const { openParquet } = await import("@cfile/parquet");
  const source = await sources.probe(path);
  try {
    const start = await readExactly(source, 0, Math.min(4, await sizeOf(source)));
    const file = await openParquet(source, { keys: sources.parquetKeys });
    return file.refused.length === 0 && /^PAR[1E]$/.test(String.fromCharCode(...start));
  } catch (error) {
    if (!isDamage(error) || error.code === "E_UNSUPPORTED") {
      throw error;
    }
    return false;
  } finally {
    await source.close?.();
  }
}

/** @returns whether all pages could be reached; else nothing is written */
async function recoverRows(
  context: CliContext,
  { source, target, lost, sync, json }: ParquetRecovery,
): Promise<boolean> {
  const [{ recoverParquet }, { exportParquet }] = await Promise.all([
    import("@cfile/parquet/recover"),
    import("@cfile/parquet/write"),
  ]);
  const { signal } = context.io;
  const progress = startProgress(context.io, "recovering", 1);
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }): void =>
    progress.update(done / (2 * total));
  try {
    const { parquetKeys: keys } = context.sources;
    const file = await context.sources.open(source);
    await using recovered = await recoverParquet(file, { signal, onProgress, keys });
    const isEncrypted = keys.footerKey !== undefined || Object.keys(keys.columnKeys ?? {}).length > 0;
    if (recovered.report.losses.some(({ part }) => part === "rest") && !isEncrypted) {
      return false;
    }
    const keyValues = Object.fromEntries(recovered.keyValues);
    const saved = await exportParquet(await fileSink(target, { sync }), recovered.table(lost), { keyValues });
    progress.stop();
    const lines = json
      ? [JSON.stringify(ledgerJson(target, recovered, saved))]
      : ledgerLines(target, recovered, saved, lost);
    await context.stdout.line(lines.join("\n"));
    context.exitCode = recovered.report.ok && recovered.refused.length === 0 ? EXIT.ok : EXIT.corrupt;
    return true;
  } finally {
    progress.stop();
  }
}

function ledgerLines(
  target: string,
  { report, columns, lostRows, refused }: RecoveredParquet,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
  lost: "drop" | "null",
): string[] {
  const rowsLost = sum(lostRows.map(({ from, to }) => to - from));
  return [
    ...report.losses.map(lossLine),
    ...columns.flatMap(({ name, rowsLost: lostHere, rowsKept }) => {
      const counts = `${counted(lostHere, "row")} lost, ${counted(rowsKept, "row")} kept`;
      return lostHere === 0 ? [] : [`  column ${printable(name)}: ${counts}`];
    }),
    ...refused.map(({ name, reason }) => `  not recovered: ${printable(name)}: ${printable(reason)}`),
    [
      `${printable(target)}: ${counted(rows, "row")} saved`,
      `${counted(rowsLost, "row")} lost${lost === "null" && rowsLost > 0 ? " in part (now null)" : ""}`,
      sizeText(bytes),
    ].join(", "),
  ];
}

function lossLine(loss: ParquetLoss): string {
  const place = loss.offset === undefined ? "" : ` at ${loss.offset}`;
  return `  lost: ${loss.error.code}${place}: ${printable(lossText(loss))}`;
}

function ledgerJson(
  path: string,
  { report, columns, lostRows, refused }: RecoveredParquet,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): object {
  return {
    path,
    rows,
    bytes,
    ledger: {
      rowsTotal: report.rows,
      lostRows,
      columns: columns.map(({ name, rowsKept, rowsLost, lost }) => ({ name, rowsKept, rowsLost, lost })),
      losses: report.losses.map(({ error, ...loss }) => {
        const { code, reason, field } = error;
        return { ...loss, code, reason, field };
      }),
      refused,
    },
  };
}
