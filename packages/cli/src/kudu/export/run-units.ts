/** Writes the parts that are missing, several at a time. */
import type { KuduDir } from "@cfile/kudu-dir";
import type { CliContext } from "../../program/context.js";
import { WorkerThread } from "../../program/worker-thread.js";
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

/** What came of it; without rows, the part is damaged. */
export interface WrittenUnit {
  readonly rows: number | undefined;
  readonly accounts: readonly AccountJson[];
}

/** Somebody who writes parts, one after the other. */
interface UnitWriter {
  write(task: UnitTask, onRows: (rows: number) => void): Promise<WrittenUnit>;
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
      return { rows, accounts: accounts.map(accountJson) };
    },
    close: async () => {},
  };
}

/** A thread of its own, with the directories opened there. */
function workerWriter(settings: ExportSettings, signal: AbortSignal | undefined): UnitWriter {
  const script = new URL("./export-worker.js", import.meta.url);
  const thread = new WorkerThread<UnitTask, WrittenUnit, number>(script, settings, signal);
  return { write: (task, onRows) => thread.ask(task, onRows), close: () => thread.close() };
}
