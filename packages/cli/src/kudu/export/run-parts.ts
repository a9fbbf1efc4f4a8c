/** Writes the parts that are missing, several at a time. */
import type { KuduDir } from "@cfile/kudu-dir";
import type { TabletSplit } from "@cfile/splits";
import { wholeTablet } from "@cfile/splits/plan";
import type { CliContext } from "../../program/context.js";
import { WorkerThread } from "../../program/worker-thread.js";
import type { ExportParts, PartReport } from "./export-parts.js";
import { type PartSettings, type PartTask, PartWriter } from "./write-part.js";

export interface ExportWork {
  readonly dir: KuduDir;
  readonly splits: readonly TabletSplit[];
  readonly parts: ExportParts;
  readonly settings: PartSettings;
  readonly jobs: number;
}

/**
 * Of a damaged tablet the parts are discarded: what is left of the whole tablet becomes one part.
 *
 * @param onRows called with the rows written so far
 * @returns the splits whose parts are the table, in order
 * @throws CFileError what writing a part throws; other parts that are complete stay
 */
export async function runParts(
  context: CliContext,
  work: ExportWork,
  onRows: (rows: number) => void,
): Promise<readonly TabletSplit[]> {
  const { splits, parts } = work;
  const progress = new Map([...parts.reports].map(([id, { rows }]) => [id, rows]));
  const tell = ({ id }: TabletSplit, rows: number): void => {
    progress.set(id, rows);
    onRows([...progress.values()].reduce((sum, part) => sum + part, 0));
  };
  // Tablets of which the whole was recovered before the interruption.
  const wholes = new Map<string, TabletSplit>();
  for (const split of splits) {
    const whole = await wholeTablet(split);
    if (parts.reports.has(whole.id)) {
      wholes.set(tabletOf(split), whole);
    }
  }
  const missing = splits.filter((split) => !wholes.has(tabletOf(split)) && !parts.reports.has(split.id));
  const damaged = await writeParts(context, work, { splits: missing, recover: false }, tell);
  const toRecover: TabletSplit[] = [];
  for (const split of splits.filter((one) => damaged.has(tabletOf(one)))) {
    await parts.discard(split);
    progress.delete(split.id);
    if (!wholes.has(tabletOf(split))) {
      const whole = await wholeTablet(split);
      wholes.set(tabletOf(split), whole);
      toRecover.push(whole);
    }
  }
  await writeParts(context, work, { splits: toRecover, recover: true }, tell);
  return [...new Set(splits.map((split) => wholes.get(tabletOf(split)) ?? split))];
}

/** @returns tablets that are damaged */
async function writeParts(
  context: CliContext,
  { dir, parts, settings, jobs }: ExportWork,
  { splits, recover }: { readonly splits: readonly TabletSplit[]; readonly recover: boolean },
  tell: (split: TabletSplit, rows: number) => void,
): Promise<ReadonlySet<string>> {
  const { signal } = context.io;
  const damaged = new Set<string>();
  const left = [...splits];
  const work = async (): Promise<void> => {
    const writer =
      jobs > 1 && splits.length > 1 ? threadWriter(settings, signal) : new PartWriter(context, dir, settings);
    try {
      for (let split = left.shift(); split !== undefined; split = left.shift()) {
        signal?.throwIfAborted();
        const part = split;
        if (damaged.has(tabletOf(part))) {
          continue;
        }
        const report = await writer.write({ split: part, path: parts.path(part), recover }, (rows) =>
          tell(part, rows),
        );
        if (report === undefined) {
          damaged.add(tabletOf(part));
        } else {
          await parts.complete(part, report);
          tell(part, report.rows);
        }
      }
    } finally {
      await writer.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, Math.max(1, splits.length)) }, work));
  return damaged;
}

/** A thread of its own, with the directories opened there. */
function threadWriter(
  settings: PartSettings,
  signal: AbortSignal | undefined,
): Pick<PartWriter, "write" | "close"> {
  const script = new URL("./export-worker.js", import.meta.url);
  const thread = new WorkerThread<PartTask, PartReport | undefined, number>(script, settings, signal);
  return { write: (task, onRows) => thread.ask(task, onRows), close: () => thread.close() };
}

export function tabletOf({ pieces }: TabletSplit): string {
  return pieces[0]?.tablet ?? "";
}
