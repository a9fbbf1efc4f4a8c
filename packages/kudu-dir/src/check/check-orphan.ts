/**
 * A block that no tablet names: what a compaction or flush left that was not finished, or a tablet that is gone. All blocks are
 * CFiles, delta and Bloom files among them; every checksum, index and count of such a file is checked, its values are not.
 */
import { problemOf } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import type { StoredBlock } from "../blocks/stored-block.js";
import type { DirProblem } from "./check-row-set.js";

/**
 * What is wrong with it: a server that stopped while it wrote leaves files without a footer.
 *
 * @throws CFileError `E_IO`, `E_SOURCE_CHANGED`; the signal's reason when aborted
 */
export async function checkOrphan(
  { id, source }: StoredBlock,
  signal: AbortSignal | undefined,
): Promise<DirProblem[]> {
  const place = { path: `block ${id}`, role: "orphan" };
  try {
    // The block's source belongs to the directory, which closes it.
    const file = await openCFile(source, { signal, cacheBytes: 0 });
    const { problems } = await file.verify({ signal });
    return problems.map((problem) => ({ ...problem, ...place }));
  } catch (error) {
    return [{ ...problemOf(error), ...place }];
  }
}
