/** Checking all that is in the directories: containers, superblocks, logs, and every file of every row set with all checksums. */
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { checkBlocks, type FoundBlocks } from "./check-blocks.js";
import { type DirProblem, problemOf, type RowSetChecker, rowSetChecker } from "./check-row-set.js";
import { checkRowSets } from "./check-row-sets.js";

/** What there is to check. */
export interface CheckedSize {
  readonly rowSets: number;
  /** Of all blocks in the directories. */
  readonly bytes: number;
}

/** What is checked, and by whom. */
export interface CheckOptions {
  /** Called with each problem; those of a row set as soon as all of it is checked. */
  readonly onProblem?: ((problem: DirProblem) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only these tablets. Default: all. */
  readonly tablets?: readonly KuduTablet[] | undefined;
  /** Those that work at the same time. Default: this thread, on two row sets in turn. */
  readonly checkers?: ((work: CheckedSize) => readonly RowSetChecker[]) | undefined;
}

/** What a check found out about a server's directories. */
export interface CheckedDir extends FoundBlocks {
  readonly ok: boolean;
  readonly problemCount: number;
  readonly tablets: number;
  readonly rowSets: number;
  /** Rows alive in the latest state of the row sets that could be read. */
  readonly liveRows: number;
  /** Blocks that a tablet names and that are in none of the directories. */
  readonly missing: readonly bigint[];
}

/** As `on-demand.ts` says. */
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
  const found = await checkBlocks(dir, report, signal);
  const tablets = options.tablets ?? (await dir.tablets());
  for (const tablet of tablets) {
    signal?.throwIfAborted();
    for (const error of await tablet.logProblems()) {
      report({ ...problemOf(error), tablet: tablet.id, table: tablet.tableName, role: "log" });
    }
  }
  const rowSets = tablets.flatMap((tablet) => tablet.rowSets.map((rowSet) => ({ tablet, rowSet })));
  // While one is waited for, there is something to do for the other.
  const checkers = options.checkers?.({ rowSets: rowSets.length, bytes: found.bytes }) ?? [
    rowSetChecker(dir),
    rowSetChecker(dir),
  ];
  const places = rowSets.map(({ tablet, rowSet }) => ({ tablet: tablet.id, rowSet: rowSet.id }));
  const missing: bigint[] = [];
  let liveRows = 0;
  await checkRowSets(places, checkers, signal, (result, i) => {
    const tablet = rowSets[i]?.tablet;
    for (const problem of result.problems) {
      report({ ...problem, tablet: tablet?.id, table: tablet?.tableName, rowSet: places[i]?.rowSet });
    }
    missing.push(...result.missing);
    liveRows += result.liveRows;
  });
  return {
    ok: problemCount === 0,
    problemCount,
    tablets: tablets.length,
    rowSets: rowSets.length,
    liveRows,
    ...found,
    missing,
  };
}
