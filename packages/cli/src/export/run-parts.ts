/** Writes the parts that are missing, several at a time. */
import type { Split } from "@cfile/splits";
import { wholeSplit } from "@cfile/splits/plan";
import type { CliContext } from "../program/context.js";
import { WorkerThread } from "../program/worker-thread.js";
import { sum } from "../records/quantity.js";
import type { ExportParts, PartReport } from "./export-parts.js";
import { type OpenSource, type PartSettings, partMemory } from "./part-source.js";
import { type PartTask, writePart } from "./write-part.js";

const SCRIPT = new URL("./export-worker.js", import.meta.url);

export interface ExportWork {
  readonly source: OpenSource;
  readonly splits: readonly Split[];
  readonly parts: ExportParts;
  readonly settings: PartSettings;
  readonly jobs: number;
}

/**
 * The parts of a damaged tablet or region are discarded, and it is recovered into one part.
 *
 * @param onRows takes the number of rows written so far
 * @returns the splits whose parts are the table, in order
 * @throws {CFileError} as writing a part; other complete parts stay
 */
export async function runParts(
  context: CliContext,
  work: ExportWork,
  onRows: (rows: number) => void,
): Promise<readonly Split[]> {
  const { splits, parts, settings } = work;
  const progress = new Map([...parts.reports].map(([id, { rows }]) => [id, rows]));
  const report = ({ id }: Split, rows: number): void => {
    progress.set(id, rows);
    onRows(sum(progress.values()));
  };
  // What was recovered before the interruption.
  const wholes = new Map<string, Split>();
  for (const split of splits) {
    const whole = await wholeSplit(split);
    if (parts.reports.has(whole.id)) {
      wholes.set(unitOf(split), whole);
    }
  }
  const missing = splits.filter((split) => !wholes.has(unitOf(split)) && !parts.reports.has(split.id));
  const damaged =
    settings.onDamage === "compare"
      ? new Set(missing.map(unitOf))
      : await writeParts(context, work, { splits: missing, recover: false }, report);
  const toRecover: Split[] = [];
  for (const split of splits.filter((one) => damaged.has(unitOf(one)))) {
    await parts.discard(split);
    progress.delete(split.id);
    if (!wholes.has(unitOf(split))) {
      const whole = await wholeSplit(split);
      wholes.set(unitOf(split), whole);
      toRecover.push(whole);
    }
  }
  await writeParts(context, work, { splits: toRecover, recover: true }, report);
  return [...new Set(splits.map((split) => wholes.get(unitOf(split)) ?? split))];
}

/** @returns the IDs of damaged tablets and regions */
async function writeParts(
  context: CliContext,
  { source, parts, settings, jobs }: ExportWork,
  { splits, recover }: { readonly splits: readonly Split[]; readonly recover: boolean },
  report: (split: Split, rows: number) => void,
): Promise<ReadonlySet<string>> {
  const { signal } = context.io;
  const damaged = new Set<string>();
  const queue = [...splits];
  const own = { ...source, arena: partMemory() };
  const work = async (isOwnThread: boolean): Promise<void> => {
    const thread = isOwnThread
      ? undefined
      : new WorkerThread<PartTask, PartReport | undefined, number>(SCRIPT, settings, signal);
    try {
      for (let split = queue.shift(); split !== undefined; split = queue.shift()) {
        signal?.throwIfAborted();
        const part = split;
        if (damaged.has(unitOf(part))) {
          continue;
        }
        const task = { split: part, path: parts.path(part), recover };
        const onRows = (rows: number): void => report(part, rows);
        const written = await (thread === undefined
          ? writePart(context, own, settings, task, onRows)
          : thread.ask(task, onRows));
        if (written === undefined) {
          damaged.add(unitOf(part));
        } else {
          await parts.complete(part, written);
          report(part, written.rows);
        }
      }
    } finally {
      await thread?.close();
    }
  };
  // This thread is one of them: it has the source open and its code compiled.
  const threads = Math.min(jobs, Math.max(1, splits.length));
  await Promise.all(Array.from({ length: threads }, (_, i) => work(i === 0)));
  return damaged;
}

/** What is recovered as a whole: a tablet, or a region. */
export function unitOf(split: Split): string {
  return split.kind === "tablet" ? (split.pieces[0]?.tablet ?? "") : split.id;
}
