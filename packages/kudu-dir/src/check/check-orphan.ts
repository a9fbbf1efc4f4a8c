/**
 * Checks a block that no tablet references: left behind by an unfinished flush or compaction, or by a deleted tablet. Every block is
 * a CFile, even delta and Bloom files. This checks all checksums, indexes and counts of the file, but not its values.
 */
import { problemOf } from "@cfile/bytes";
import { openCFile } from "@cfile/format";
import type { StoredBlock } from "../blocks/stored-block.js";
import type { DirProblem } from "./check-row-set.js";

/**
 * The damage found. A server that stops during a write leaves a file without a footer.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`; the signal's reason when aborted
 */
export async function checkOrphan(
  { id, source }: StoredBlock,
  signal: AbortSignal | undefined,
): Promise<DirProblem[]> {
  const place = { path: `block ${id}`, role: "orphan" };
  try {
    const file = await openCFile(source, { signal, cacheBytes: 0 });
    const { problems } = await file.verify({ signal });
    return problems.map((problem) => ({ ...problem, ...place }));
  } catch (error) {
    return [{ ...problemOf(error), ...place }];
  }
}
