/**
 * Checks everything in the directories: containers, superblocks, Raft configurations, logs, a master's catalog, and every file of
 * every row set with all checksums.
 */
import type { CFileError } from "@cfile/bytes";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { checkBlocks, type FoundBlocks } from "./check-blocks.js";
import { checkMetadata } from "./check-metadata.js";
import { checkNewerBlocks } from "./check-newer-blocks.js";
import {
  type CheckedRowSet,
  type DirProblem,
  problemOf,
  type RowSetChecker,
  rowSetChecker,
} from "./check-row-set.js";
import { checkRowSets } from "./check-row-sets.js";
import { checkWholeLog } from "./check-whole-log.js";

/** The amount of work. */
export interface CheckedSize {
  readonly rowSets: number;
  /** Bytes of all blocks in the directories. */
  readonly bytes: number;
}

/** Options of `checkKuduDir`. */
export interface CheckOptions {
  /** Called for each problem. Problems of a row set are reported when its check is complete. */
  readonly onProblem?: ((problem: DirProblem) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The tablets to check. Default: all. */
  readonly tablets?: readonly KuduTablet[] | undefined;
  /** Checkers that work in parallel. Default: this thread, on two row sets at a time. */
  readonly checkers?: ((work: CheckedSize) => readonly RowSetChecker[]) | undefined;
}

/** The result of a check. */
export interface CheckedDir extends FoundBlocks {
  readonly ok: boolean;
  readonly problemCount: number;
  readonly tablets: number;
  readonly rowSets: number;
  /** Live rows of the row sets that could be read. */
  readonly liveRows: number;
  /** IDs of missing blocks. */
  readonly missing: readonly bigint[];
  /**
   * Logs that end within an entry, as after a crash. That is not a problem of the directories, but writes of that entry are missing;
   * other replicas may have them.
   */
  readonly tornLogs: readonly DirProblem[];
}

/** Returns the logs that end within an entry. */
async function checkLogs(
  tablets: readonly KuduTablet[],
  report: (problem: DirProblem) => void,
  signal: AbortSignal | undefined,
): Promise<readonly DirProblem[]> {
  const tornLogs: DirProblem[] = [];
  for (const tablet of tablets) {
    signal?.throwIfAborted();
    const inLog = (error: CFileError): DirProblem => ({
      ...problemOf(error),
      tablet: tablet.id,
      table: tablet.tableName,
      role: "log",
    });
    const { problems, torn, isWhole } = await tablet.checkLog();
    const lost = isWhole && problems.length === 0 ? await checkWholeLog(tablet) : undefined;
    for (const error of lost === undefined ? problems : [lost]) {
      report(inLog(error));
    }
    tornLogs.push(...(torn === undefined ? [] : [inLog(torn)]));
  }
  return tornLogs;
}

/** See `on-demand.ts`. */
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
  await checkMetadata(dir, options.tablets, report);
  const found = await checkBlocks(dir, report, signal);
  if (options.tablets === undefined) {
    await checkNewerBlocks(dir, found.orphaned, report, signal);
  }
  const tablets = options.tablets ?? (await dir.tablets());
  const rowSets = tablets.flatMap((tablet) => tablet.rowSets.map((rowSet) => ({ tablet, rowSet })));
  // Two, so that one can work while the other waits for a read.
  const checkers = options.checkers?.({ rowSets: rowSets.length, bytes: found.bytes }) ?? [
    rowSetChecker(dir),
    rowSetChecker(dir),
  ];
  const places = rowSets.map(({ tablet, rowSet }) => ({ tablet: tablet.id, rowSet: rowSet.id }));
  const missing: bigint[] = [];
  let liveRows = 0;
  const take = (result: CheckedRowSet, i: number): void => {
    const tablet = rowSets[i]?.tablet;
    for (const problem of result.problems) {
      report({ ...problem, tablet: tablet?.id, table: tablet?.tableName, rowSet: places[i]?.rowSet });
    }
    missing.push(...result.missing);
    liveRows += result.liveRows;
  };
  /** Results until the logs, whose problems come first, are checked: other threads need not wait for this. */
  const held: [CheckedRowSet, number][] = [];
  let areLogsChecked = false;
  const checking = checkRowSets(places, checkers, signal, (result, i) =>
    areLogsChecked ? take(result, i) : void held.push([result, i]),
  );
  const checkingLogs = checkLogs(tablets, report, signal).then((torn) => {
    areLogsChecked = true;
    for (const [result, i] of held) {
      take(result, i);
    }
    return torn;
  });
  const [tornLogs] = await Promise.all([checkingLogs, checking]);
  return {
    ok: problemCount === 0,
    problemCount,
    tablets: tablets.length,
    rowSets: rowSets.length,
    liveRows,
    ...found,
    missing,
    tornLogs,
  };
}
