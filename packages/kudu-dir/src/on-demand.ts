/** What most users of the directories do without: its code is loaded when it is called. */
import type { CheckedDir, CheckOptions } from "./check/check-dir.js";
import type { LoadedRows, LoadOptions, RowsToLoad } from "./load/load-rows.js";
import type { KuduDir } from "./read/kudu-dir.js";

/**
 * Checks everything; throws only when a source fails.
 *
 * @throws CFileError `E_IO`, `E_SOURCE_CHANGED`; the signal's reason when aborted
 */
export async function checkKuduDir(dir: KuduDir, options: CheckOptions = {}): Promise<CheckedDir> {
  const check = await import("./check/check-dir.js");
  return check.checkKuduDir(dir, options);
}

/**
 * Adds rows to a table. The directories must be those of a stopped server, all of them; when it fails, superblocks are as they were.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such table; `E_INVALID_ARGUMENT`: columns that do not fit, a key that is there already or
 *   belongs to no tablet here, a timestamp that is not after the last write; `E_UNSUPPORTED`: encrypted directories, tables with
 *   several replicas, and what `PartitionKeys` and `newBlocks` say; as reading does
 */
export async function loadRows(
  dir: KuduDir,
  tableName: string,
  source: RowsToLoad,
  options: LoadOptions,
): Promise<LoadedRows> {
  const load = await import("./load/load-rows.js");
  return load.loadRows(dir, tableName, source, options);
}
