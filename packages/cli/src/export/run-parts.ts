/** Writes the parts that are missing, several at a time. */
import type { Split } from "@cfile/splits";
import { wholeSplit } from "@cfile/splits/plan";
import type { CliContext } from "../program/context.js";
import { sum } from "../records/quantity.js";
import type { ExportParts } from "./export-parts.js";
import type { ExportThread, ExportThreads } from "./export-threads.js";
import { type OpenSource, type PartSettings, partSource } from "./part-source.js";
import { writePart } from "./write-part.js";

export interface ExportWork {
  readonly source: OpenSource;
  readonly splits: readonly Split[];
  readonly parts: ExportParts;
  readonly settings: PartSettings;
  /** Threads that write parts, this one included. */
  readonly jobs: number;
  /** The other threads, which have already received their settings. */
  readonly threads: ExportThreads;
}

/**
 * The parts of a damaged tablet or region are discarded, and it is recovered into one part.
 *
 * @param onRows takes the number of rows written so far
 * @returns the splits whose parts are the table, in order
 * @throws {CFileError} as `writePart`; other complete parts remain
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
  // Tablets and regions that were recovered before the interruption.
  const wholes = new Map<string, Split>();
  for (const split of splits) {
    const whole = await wholeSplit(split);
    if (parts.reports.has(whole.id)) {
      wholes.set(unitOf(split), whole);
      if (split.id !== whole.id) {
        await parts.discard(split);
        progress.delete(split.id);
      }
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
  { source, parts, settings, jobs, threads }: ExportWork,
  { splits, recover }: { readonly splits: readonly Split[]; readonly recover: boolean },
  report: (split: Split, rows: number) => void,
): Promise<ReadonlySet<string>> {
  const { signal } = context.io;
  const damaged = new Set<string>();
  const queue = [...splits];
  const own = partSource(source, settings);
  parts.expect(recover ? [] : splits);
  /**
   * @param thread default: this one
   * @param spare number of parts to leave to other threads
   */
  const work = async (thread?: ExportThread, spare = 0): Promise<void> => {
    try {
      await writeNext(thread, spare);
    } catch (error) {
      // The other threads finish their parts, which the next attempt reuses.
      queue.length = 0;
      throw error;
    }
  };
  const writeNext = async (thread: ExportThread | undefined, spare: number): Promise<void> => {
    while (queue.length > spare) {
      signal?.throwIfAborted();
      const part = queue.shift() as Split;
      if (damaged.has(unitOf(part))) {
        parts.end(part);
        continue;
      }
      const task = { split: part, path: parts.path(part), index: parts.expectedIndex(part), recover };
      const onRows = (rows: number): void => report(part, rows);
      const written = await (thread === undefined
        ? writePart(context, own, settings, task, onRows)
        : thread.ask(task, onRows)
      ).finally(() => parts.end(part));
      if (written === undefined) {
        damaged.add(unitOf(part));
      } else {
        await parts.complete(part, written);
        report(part, written.rows);
      }
    }
  };
  // This thread already has the source open and its code compiled. Each of the others gets its next part before it completes one, because
  // this thread also writes parts and answers late. The last parts go to the first thread that is ready.
  const others = threads.some(Math.max(0, Math.min(jobs, splits.length) - 1));
  const ahead = others.map((thread) => work(thread, 2 * jobs));
  const ended: PromiseSettledResult<unknown>[] = await Promise.allSettled([
    work(),
    ...others.map((thread) => work(thread)),
    ...ahead,
  ]);
  if (own.joined !== undefined && signal?.aborted !== true) {
    const finishing = [own.joined.finish(), ...others.map((thread) => thread.ask("finish"))];
    ended.push(...(await Promise.allSettled(finishing)));
  }
  await own.joined?.close();
  for (const one of ended) {
    if (one.status === "rejected") {
      throw one.reason;
    }
  }
  return damaged;
}

/** The unit of recovery: a tablet or a region. */
export function unitOf(split: Split): string {
  return split.kind === "tablet" ? (split.pieces[0]?.tablet ?? "") : split.id;
}
