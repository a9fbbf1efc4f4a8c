/** Copies the undamaged pages of a Parquet file into a new one. */
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { fileSink } from "@cfile/io/file";
import type { ParquetLoss } from "@cfile/parquet";
import type { RecoveredParquet } from "@cfile/parquet/recover";
import type { Recovery } from "../hfile/hfile-recovery.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { startProgress } from "../program/progress.js";
import { counted, sizeText, sum } from "../records/quantity.js";
import { lossText } from "./verify-parquet.js";

interface ParquetRecovery extends Recovery {
  readonly lost: "drop" | "null";
}

/** Sets exit code 3 when something is lost. */
export async function recoverParquetFile(
  context: CliContext,
  { source, target, lost, sync, json }: ParquetRecovery,
): Promise<void> {
  const [{ recoverParquet }, { exportParquet }] = await Promise.all([
    import("@cfile/parquet/recover"),
    import("@cfile/parquet/write"),
  ]);
  const { signal } = context.io;
  const progress = startProgress(context.io, "recovering", 1);
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }): void =>
    progress.update(done / (2 * total));
  try {
    const file = await context.sources.open(source);
    await using recovered = await recoverParquet(file, { signal, onProgress });
    const [refused] = recovered.refused;
    if (recovered.columns.length === 0 && refused !== undefined) {
      const reason = `unsupported column ${refused.name}: ${refused.reason} (no column can be recovered)`;
      throw new CFileError("E_UNSUPPORTED", reason, { path: source });
    }
    const keyValues = Object.fromEntries(recovered.keyValues);
    const saved = await exportParquet(await fileSink(target, { sync }), recovered.table(lost), { keyValues });
    progress.stop();
    const lines = json
      ? [JSON.stringify(ledgerJson(target, recovered, saved))]
      : ledgerLines(target, recovered, saved, lost);
    await context.stdout.line(lines.join("\n"));
    context.exitCode = recovered.report.ok && recovered.refused.length === 0 ? EXIT.ok : EXIT.corrupt;
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
