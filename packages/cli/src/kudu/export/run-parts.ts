/** Writes the parts that are missing, several at a time. */
import type { TabletSplit } from "@cfile/splits";
import { wholeTablet } from "@cfile/splits/plan";
import type { CliContext } from "../../program/context.js";
import { WorkerThread } from "../../program/worker-thread.js";
import { sum } from "../../records/quantity.js";
import type { KuduTables } from "../kudu-directory.js";
import type { ExportParts, PartReport } from "./export-parts.js";
import { type PartSettings, type PartTask, writePart } from "./write-part.js";

const SCRIPT = new URL("./export-worker.js", import.meta.url);

export interface ExportWork {
  readonly dir: KuduTables;
  readonly splits: readonly TabletSplit[];
  readonly parts: ExportParts;
  readonly settings: PartSettings;
  readonly jobs: number;
}

/**
 * The parts of a damaged tablet are discarded, and the tablet is recovered into one part.
 *
 * @param onRows takes the number of rows written so far
 * @returns the splits whose parts are the table, in order
 * @throws {CFileError} as writing a part; other complete parts stay
 */
export async function runParts(
  context: CliContext,
  work: ExportWork,
  onRows: (rows: number) => void,
): Promise<readonly TabletSplit[]> {
  const { splits, parts, settings } = work;
  const progress = new Map([...parts.reports].map(([id, { rows }]) => [id, rows]));
  const report = ({ id }: TabletSplit, rows: number): void => {
    progress.set(id, rows);
    onRows(sum(progress.values()));
  };
  // Tablets that were recovered before the interruption.
  const wholes = new Map<string, TabletSplit>();
  for (const split of splits) {
    const whole = await wholeTablet(split);
    if (parts.reports.has(whole.id)) {
      wholes.set(tabletOf(split), whole);
    }
  }
  const missing = splits.filter((split) => !wholes.has(tabletOf(split)) && !parts.reports.has(split.id));
  const damaged =
    settings.onDamage === "compare"
      ? new Set(missing.map(tabletOf))
      : await writeParts(context, work, { splits: missing, recover: false }, report);
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
  await writeParts(context, work, { splits: toRecover, recover: true }, report);
  return [...new Set(splits.map((split) => wholes.get(tabletOf(split)) ?? split))];
}

/** @returns the IDs of damaged tablets */
async function writeParts(
  context: CliContext,
  { dir, parts, settings, jobs }: ExportWork,
  { splits, recover }: { readonly splits: readonly TabletSplit[]; readonly recover: boolean },
  report: (split: TabletSplit, rows: number) => void,
): Promise<ReadonlySet<string>> {
  const { signal } = context.io;
  const damaged = new Set<string>();
  const queue = [...splits];
  const work = async (): Promise<void> => {
    const thread =
      jobs > 1 && splits.length > 1
        ? new WorkerThread<PartTask, PartReport | undefined, number>(SCRIPT, settings, signal)
        : undefined;
    try {
      for (let split = queue.shift(); split !== undefined; split = queue.shift()) {
        signal?.throwIfAborted();
        const part = split;
        if (damaged.has(tabletOf(part))) {
          continue;
        }
        const task = { split: part, path: parts.path(part), recover };
        const onRows = (rows: number): void => report(part, rows);
        const written = await (thread === undefined
          ? writePart(context, dir, settings, task, onRows)
          : thread.ask(task, onRows));
        if (written === undefined) {
          damaged.add(tabletOf(part));
        } else {
          await parts.complete(part, written);
          report(part, written.rows);
        }
      }
    } finally {
      await thread?.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, Math.max(1, splits.length)) }, work));
  return damaged;
}

export function tabletOf({ pieces }: TabletSplit): string {
  return pieces[0]?.tablet ?? "";
}
