/** Checking all that is in the directories: containers, superblocks, and every file of every row set with all checksums. */
import { type CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { type RowSetProblem, verifyRowSet } from "@cfile/rowset";
import { absentFile } from "./byte-range.js";
import { checkOrphan } from "./check-orphan.js";
import type { KuduDir } from "./kudu-dir.js";
import type { KuduTablet } from "./kudu-tablet.js";
import type { TabletRowSet } from "./tablet-row-set.js";

/** Something wrong, and where. */
export interface DirProblem extends Omit<RowSetProblem, "role"> {
  readonly tablet?: string | undefined;
  readonly table?: string | undefined;
  readonly rowSet?: bigint | undefined;
  /** What the file is for. */
  readonly role?: string;
}

export interface CheckOptions {
  /** Called with each problem; those of a row set as soon as all of it is checked. */
  readonly onProblem?: ((problem: DirProblem) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only these tablets. Default: all. */
  readonly tablets?: readonly KuduTablet[] | undefined;
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
  const begin = (index: number): Promise<CheckedRowSet> | undefined => {
    const next = rowSets[index];
    const checking = next && checkRowSet(next.tablet, next.rowSet);
    // What it throws is reported when its turn comes.
    checking?.catch(() => undefined);
    return checking;
  };
  // While one is waited for, there is something to do for the other.
  let ahead = begin(0);
  for (const [i, { tablet, rowSet }] of rowSets.entries()) {
    signal?.throwIfAborted();
    const current = ahead;
    ahead = begin(i + 1);
    const checked = await current;
    const place = { tablet: tablet.id, table: tablet.tableName, rowSet: rowSet.id };
    for (const problem of checked?.problems ?? []) {
      report({ ...problem, ...place });
    }
    missing.push(...(checked?.missing ?? []));
    liveRows += checked?.liveRows ?? 0;
  }
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

interface CheckedRowSet {
  readonly problems: readonly DirProblem[];
  readonly missing: readonly bigint[];
  readonly liveRows: number;
}

async function checkRowSet(tablet: KuduTablet, rowSet: TabletRowSet): Promise<CheckedRowSet> {
  const absent = await rowSet.missing();
  const problems: DirProblem[] = absent.map((error) => ({
    ...problemOf(error),
    role: error.field ?? "block",
  }));
  const bloom = await rowSet.missingBloom();
  const named = bloom === undefined ? absent : [...absent, bloom];
  const missing = named.map(({ path }) => BigInt(path?.slice("block ".length) ?? 0));
  if (absent.length > 0) {
    return { problems, missing, liveRows: 0 };
  }
  const { supportsLiveRowCount } = tablet.superblock;
  const liveRowCount = supportsLiveRowCount ? rowSet.blocks.liveRowCount : undefined;
  try {
    const files = await rowSet.files();
    const whole =
      bloom === undefined ? files : { ...files, bloom: absentFile(bloom.path ?? "Bloom file", bloom) };
    const result = await verifyRowSet(whole, tablet.schema, { liveRowCount });
    return { problems: [...problems, ...result.problems], missing, liveRows: result.liveRows ?? 0 };
  } catch (error) {
    if (!isCFileError(error) || error.code === "E_IO" || error.code === "E_SOURCE_CHANGED") {
      throw error;
    }
    return { problems: [...problems, problemOf(error)], missing, liveRows: 0 };
  }
}

function problemOf(error: CFileError): DirProblem {
  const { code, reason, path, block, offset, field, expected, actual } = error;
  return { code, reason, path, block, offset, field, expected, actual };
}
