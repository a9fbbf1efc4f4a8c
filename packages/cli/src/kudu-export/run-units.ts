/** Writes the parts that are missing, several at a time. */
import { Worker } from "node:worker_threads";
import { CFileError, type CFileErrorCode } from "@cfile/bytes";
import type { KuduDir } from "@cfile/kudu-dir";
import type { CliContext } from "../context.js";
import { type AccountJson, accountJson } from "./account-json.js";
import type { ExportParts } from "./export-parts.js";
import type { ExportSettings, ExportUnit } from "./export-settings.js";
import { writeUnit } from "./write-unit.js";

/** What a worker is told. */
export interface UnitTask {
  readonly unit: ExportUnit;
  readonly path: string;
  readonly salvage: boolean;
}

/** What it answers: how far it is, and then one of the others. */
export type UnitAnswer =
  | { readonly kind: "progress"; readonly rows: number }
  | { readonly kind: "done"; readonly rows: number | undefined; readonly accounts: readonly AccountJson[] }
  | { readonly kind: "failed"; readonly error: Readonly<Record<string, unknown>> };

/** Somebody who writes parts, one after the other. */
interface UnitWriter {
  write(task: UnitTask, onRows: (rows: number) => void): Promise<Extract<UnitAnswer, { kind: "done" }>>;
  close(): Promise<void>;
}

/**
 * @param onRows called with the rows written so far
 * @throws CFileError what writing a part throws; other parts that are complete stay
 */
export async function runUnits(
  context: CliContext,
  dir: KuduDir,
  parts: ExportParts,
  settings: ExportSettings,
  jobs: number,
  onRows: (rows: number) => void,
): Promise<void> {
  const progress = new Map([...parts.reports].map(([unit, { rows }]) => [unit, rows]));
  const tell = (unit: number, rows: number): void => {
    progress.set(unit, rows);
    onRows([...progress.values()].reduce((sum, part) => sum + part, 0));
  };
  const damaged = new Set<string>();
  const writeAll = async (units: readonly number[], salvage: boolean): Promise<void> => {
    let next = 0;
    const work = async (): Promise<void> => {
      const writer =
        jobs > 1 && units.length > 1
          ? workerWriter(settings, context.io.signal)
          : ownWriter(context, dir, settings);
      try {
        for (let i = next++; i < units.length; i = next++) {
          context.io.signal?.throwIfAborted();
          const index = units[i] as number;
          const unit = parts.units[index] as ExportUnit;
          if (!salvage && damaged.has(unit.tablet)) {
            continue;
          }
          const { rows, accounts } = await writer.write({ unit, path: parts.path(index), salvage }, (count) =>
            tell(index, count),
          );
          if (rows === undefined) {
            damaged.add(unit.tablet);
          } else {
            await parts.complete(index, { rows, accounts });
            tell(index, rows);
          }
        }
      } finally {
        await writer.close();
      }
    };
    await Promise.all(Array.from({ length: Math.min(jobs, Math.max(1, units.length)) }, work));
  };
  const missing = [...parts.units.keys()].filter((unit) => !parts.reports.has(unit));
  await writeAll(missing, false);
  const whole: number[] = [];
  for (const tablet of damaged) {
    whole.push(await parts.discard(tablet));
  }
  if (whole.length > 0) {
    await writeAll(whole, true);
  }
}

function ownWriter(context: CliContext, dir: KuduDir, settings: ExportSettings): UnitWriter {
  return {
    write: async ({ unit, path, salvage }, onRows) => {
      const { rows, accounts } = await writeUnit(context, dir, settings, unit, path, salvage, onRows);
      return { kind: "done", rows, accounts: accounts.map(accountJson) };
    },
    close: async () => {},
  };
}

/** A thread of its own, with the directories opened there. */
function workerWriter(settings: ExportSettings, signal: AbortSignal | undefined): UnitWriter {
  const worker = new Worker(new URL("./export-worker.js", import.meta.url), { workerData: settings });
  return {
    write: (task, onRows) =>
      new Promise((resolve, reject) => {
        const stop = (): void => settle(() => reject(signal?.reason));
        const fail = (cause: unknown): void =>
          settle(() =>
            reject(new CFileError("E_IO", `a worker of the export has ended: ${String(cause)}`, { cause })),
          );
        const hear = (answer: UnitAnswer): void => {
          if (answer.kind === "progress") {
            onRows(answer.rows);
          } else if (answer.kind === "done") {
            settle(() => resolve(answer));
          } else {
            settle(() => reject(errorOf(answer.error)));
          }
        };
        const settle = (action: () => void): void => {
          worker.off("message", hear);
          worker.off("error", fail);
          worker.off("exit", fail);
          signal?.removeEventListener("abort", stop);
          action();
        };
        worker.on("message", hear);
        worker.on("error", fail);
        worker.on("exit", fail);
        signal?.addEventListener("abort", stop);
        worker.postMessage(task);
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}

/** An error that a worker told, with all that it said. */
function errorOf({ code, reason, ...details }: Readonly<Record<string, unknown>>): CFileError {
  return new CFileError(code as CFileErrorCode, String(reason), details);
}
