/** `cfile recover` for delta files. */
import { printable } from "@cfile/cell-text";
import {
  type DeltaBlockEntry,
  type DeltaRecoveryLedger,
  type RecoverDeltaOptions,
  type RecoveredDeltaFile,
  recoverDeltaFile,
} from "@cfile/deltafile/recover";
import { shortName } from "../options/names.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { problemText } from "../program/output/error-text.js";
import { startProgress } from "../program/output/progress.js";
import { counted, countText, sizeText } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";

interface DeltaRecovery extends Pick<RecoverDeltaOptions, "kind" | "compression" | "checksums" | "sync"> {
  readonly source: string;
  readonly target: string;
  readonly json: boolean;
}

/** Maximum number of omitted entries to list. */
const LISTED = 20;

export async function recoverDeltas(
  context: CliContext,
  { source, target, json, ...options }: DeltaRecovery,
): Promise<void> {
  const { io, stdout } = context;
  const progress = startProgress(io, "recovering", 1);
  const recovered = await recoverDeltaFile(source, target, {
    ...options,
    signal: io.signal,
    onProgress: ({ done, total }) => progress.update(done / Math.max(1, total)),
  }).finally(progress.stop);
  const { ledger, bytes, dataBlocks } = recovered;
  const lines = json
    ? [JSON.stringify({ path: target, bytes, data_blocks: dataBlocks, ledger }, plainValue)]
    : report(source, target, recovered);
  await stdout.line(lines.join("\n"));
  context.exitCode = ledger.complete ? EXIT.ok : EXIT.corrupt;
}

function plainValue(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value instanceof Map ? Object.fromEntries(value) : value;
}

function report(source: string, target: string, { ledger, bytes }: RecoveredDeltaFile): string[] {
  const { kind, kindFrom, container, blocks, leftOut, lostChanges } = ledger;
  const found = { given: "", timestamps: ", by the order of timestamps", any: ", or the other kind" }[
    kindFrom
  ];
  const parts = container.parts.filter(({ state }) => state !== "valid");
  return [
    `${printable(source)}: ${kind.toUpperCase()} file${found}, ${shortName(container.column.compression)}`,
    ...parts.map(({ part, state, problem }) => `  ${part} ${state}${reason(problem)}`),
    ...tableLines(
      [right("offset"), right("bytes"), right("entries"), left("base rows"), left("")],
      blocks.map(blockCells),
    ),
    ...leftOut
      .slice(0, LISTED)
      .map(
        ({ row, timestamp, type, reason: why }) =>
          `  left out: ${type} of row ${row} at ${timestamp}, ${why}`,
      ),
    ...(leftOut.length > LISTED ? [`  and ${countText(leftOut.length - LISTED)} more entries`] : []),
    ...(lostChanges === undefined ? [] : lostLine(lostChanges)),
    summary(target, ledger, bytes),
  ];
}

function blockCells({ block, entries, rows, state, verified, problem }: DeltaBlockEntry): string[] {
  const unverified = state === "kept" && !verified ? ", unverified" : "";
  const last = rows.to === undefined ? "" : `${rows.to - 1}`;
  return [
    `${block?.offset ?? "-"}`,
    `${block?.size ?? "-"}`,
    `${entries ?? "?"}`,
    `${rows.from}..${last}`,
    `${state}${unverified}${reason(problem, " ")}`,
  ];
}

function reason(problem: DeltaBlockEntry["problem"], prefix = ": "): string {
  return problem === undefined ? "" : prefix + printable(problemText({ ...problem, block: undefined }));
}

function lostLine({
  deletes,
  reinserts,
  updates,
}: NonNullable<DeltaRecoveryLedger["lostChanges"]>): string[] {
  const columns = [...updates].map(([id, count]) => `${counted(count, "cell")} of column ${id}`);
  const entries = [
    ...(deletes > 0 ? [counted(deletes, "DELETE")] : []),
    ...(reinserts > 0 ? [counted(reinserts, "REINSERT")] : []),
    ...columns,
  ];
  return entries.length === 0 ? [] : [`  lost by the counts of the footer: ${entries.join(", ")}`];
}

function summary(target: string, ledger: DeltaRecoveryLedger, bytes: number): string {
  const { entriesKept, entriesLost, entriesTotal, entriesUnverified } = ledger;
  return [
    `${printable(target)}: ${counted(entriesKept, "entry")} saved`,
    `${counted(entriesLost, "entry")} lost${entriesTotal === undefined ? ", perhaps more after the last block" : ""}`,
    ...(entriesUnverified > 0 ? ["entries unverified: no checksums"] : []),
    sizeText(bytes),
  ].join(", ");
}
