/** Checking the blocks of all directories: how many there are, and what they are for. */
import { corrupt, isCFileError } from "@cfile/bytes";
import type { KuduDir } from "../read/kudu-dir.js";
import { checkOrphan } from "./check-orphan.js";
import { type DirProblem, problemOf } from "./check-row-set.js";

export interface FoundBlocks {
  readonly blocks: number;
  /** Of all blocks as they are stored, those that no tablet names too. */
  readonly bytes: number;
  /** Blocks that no tablet names. */
  readonly orphaned: readonly bigint[];
  /** What is wrong with those: they hold no row that a tablet has, so that it is no problem of the directories. */
  readonly orphanProblems: readonly DirProblem[];
}

/** @param report called with blocks that cannot be found whole, or that two tablets name */
export async function checkBlocks(
  dir: KuduDir,
  report: (problem: DirProblem) => void,
  signal: AbortSignal | undefined,
): Promise<FoundBlocks> {
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
  return { blocks: blocks.length, bytes, orphaned, orphanProblems };
}
