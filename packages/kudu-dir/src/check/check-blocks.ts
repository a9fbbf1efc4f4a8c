/** Checks the blocks of all directories: their number, sizes and uses. */
import { corrupt, findingOf } from "@cfile/bytes";
import type { KuduDir } from "../read/kudu-dir.js";
import { checkOrphan } from "./check-orphan.js";
import { type DirProblem, problemOf } from "./check-row-set.js";

export interface FoundBlocks {
  readonly blocks: number;
  /** Stored bytes of all blocks, including orphaned ones. */
  readonly bytes: number;
  /** Blocks that no tablet references. */
  readonly orphaned: readonly bigint[];
  /** Damage of orphaned blocks. They hold no row of a tablet, so this is not damage of the directories. */
  readonly orphanProblems: readonly DirProblem[];
}

/** @param report called for incomplete blocks and for blocks that two tablets reference */
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
      report(problemOf(findingOf(error)));
    }
    if (!uses.has(block.id)) {
      orphaned.push(block.id);
      orphanProblems.push(...(await checkOrphan(block, signal)));
    }
  }
  for (const [id, [first, second]] of uses) {
    if (first !== undefined && second !== undefined && first.tablet !== second.tablet) {
      const { tablet, table, rowSet } = second;
      const error = corrupt(`tablets ${first.tablet} and ${tablet} both use block ${id}`, {
        field: "rowsets",
      });
      report({ ...problemOf(error), tablet, table, rowSet });
    }
  }
  return { blocks: blocks.length, bytes, orphaned, orphanProblems };
}
