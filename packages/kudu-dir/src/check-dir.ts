/** Checking all that is in the directories: containers, superblocks, and every file of every row set with all checksums. */
import { corrupt, isCFileError } from "@cfile/bytes";
import { checkOrphan } from "./check-orphan.js";
import {
  type CheckedRowSet,
  checkRowSet,
  type DirProblem,
  problemOf,
  type RowSetPlace,
} from "./check-row-set.js";
import type { KuduDir } from "./kudu-dir.js";
import type { KuduTablet } from "./kudu-tablet.js";

/** Who checks row sets, one after the other: this thread, or one that has the same directories open. */
export type RowSetChecker = (place: RowSetPlace) => Promise<CheckedRowSet>;

/** What there is to check. */
export interface CheckedSize {
  readonly rowSets: number;
  /** Of all blocks in the directories. */
  readonly bytes: number;
}

export interface CheckOptions {
  /** Called with each problem; those of a row set as soon as all of it is checked. */
  readonly onProblem?: ((problem: DirProblem) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only these tablets. Default: all. */
  readonly tablets?: readonly KuduTablet[] | undefined;
  /** Those that work at the same time. Default: this thread, on two row sets in turn. */
  readonly checkers?: ((work: CheckedSize) => readonly RowSetChecker[]) | undefined;
}

export interface CheckedDir {
  readonly ok: boolean;
  readonly problemCount: number;
  readonly tablets: number;
  readonly rowSets: number;
  /** Rows alive in the latest state of the row sets that could be read. */
  readonly liveRows: number;
  readonly blocks: number;
  /** Of all blocks as they are stored, those that no tablet names too. */
  readonly bytes: number;
  /** Blocks that no tablet names. */
  readonly orphaned: readonly bigint[];
  /** What is wrong with those: they hold no row that a tablet has, so that it is no problem of the directories. */
  readonly orphanProblems: readonly DirProblem[];
  /** Blocks that a tablet names and that are in none of the directories. */
  readonly missing: readonly bigint[];
}

/**
 * Checks everything; throws only when a source fails.
 *
 * @throws CFileError `E_IO`, `E_SOURCE_CHANGED`; the signal's reason when aborted
 */
export async function checkKuduDir(dir: KuduDir, options: CheckOptions = {}): Promise<CheckedDir> {
  const { onProblem, signal } = options;
  let problemCount = 0;
  const report = (problem: DirProblem): void => {
    problemCount++;
    onProblem?.(problem);
  };
  for (const error of await dir.problems()) {
    report(problemOf(error));
  }
  const uses = await dir.blockUses();
  const orphaned: bigint[] = [];
  const orphanProblems: DirProblem[] = [];
  let bytes = 0;
  const blocks = await dir.blocks.list();
  for (const block of blocks) {
    signal?.throwIfAborted();
    try {
      bytes += await block.source.size();
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      report(problemOf(error));
    }
    if (!uses.has(block.id)) {
      orphaned.push(block.id);
      orphanProblems.push(...(await checkOrphan(block, signal)));
    }
  }
  for (const [id, [first, second]] of uses) {
    if (first !== undefined && second !== undefined && first.tablet !== second.tablet) {
      const error = corrupt(`block ${id} is named by tablets ${first.tablet} and ${second.tablet}`, {
        field: "rowsets",
      });
      report({ ...problemOf(error), tablet: second.tablet, table: second.table, rowSet: second.rowSet });
    }
  }
  const tablets = options.tablets ?? (await dir.tablets());
  const missing: bigint[] = [];
  const rowSets = tablets.flatMap((tablet) => tablet.rowSets.map((rowSet) => ({ tablet, rowSet })));
  let liveRows = 0;
  const checked: (CheckedRowSet | undefined)[] = [];
  let told = 0;
  /** Problems are told in the order of the row sets, whoever is done first. */
  const tell = (): void => {
    for (let result = checked[told]; result !== undefined; result = checked[++told]) {
      const { tablet, rowSet } = rowSets[told] as (typeof rowSets)[number];
      for (const problem of result.problems) {
        report({ ...problem, tablet: tablet.id, table: tablet.tableName, rowSet: rowSet.id });
      }
      missing.push(...result.missing);
      liveRows += result.liveRows;
    }
  };
  let next = 0;
  const work = async (check: RowSetChecker): Promise<void> => {
    try {
      for (let i = next++; i < rowSets.length; i = next++) {
        signal?.throwIfAborted();
        const { tablet, rowSet } = rowSets[i] as (typeof rowSets)[number];
        checked[i] = await check({ tablet: tablet.id, rowSet: rowSet.id });
        tell();
      }
    } finally {
      next = rowSets.length;
    }
  };
  const own: RowSetChecker = (place) => checkRowSet(dir, place);
  // While one is waited for, there is something to do for the other.
  const checkers = options.checkers?.({ rowSets: rowSets.length, bytes }) ?? [own, own];
  await Promise.all(checkers.map(work));
  return {
    ok: problemCount === 0,
    problemCount,
    tablets: tablets.length,
    rowSets: rowSets.length,
    liveRows,
    blocks: blocks.length,
    bytes,
    orphaned,
    orphanProblems,
    missing,
  };
}
