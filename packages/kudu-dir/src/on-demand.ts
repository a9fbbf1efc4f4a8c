/** Functions whose code is loaded when they are called. */
import type { CheckedDir, CheckOptions } from "./check/check-dir.js";
import type { KuduCluster } from "./cluster/kudu-cluster.js";
import type { LoadedRows, LoadOptions, RowsToLoad } from "./load/load-rows.js";
import type { KuduDir } from "./read/kudu-dir.js";
import type { RebuildOptions, RebuiltDir } from "./rebuild/rebuild-dir.js";
import type { GivenColumn, KnownTable } from "./rebuild/tables/known-tables.js";
import type { WriteMetadataOptions, WrittenMetadata } from "./rebuild/write-metadata.js";
import type { RestoredCluster, RestoreOptions } from "./restore/restore-options.js";

/**
 * Checks everything in the directories. Damage is reported, not thrown.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails; the signal's reason when aborted
 */
export async function checkKuduDir(dir: KuduDir, options: CheckOptions = {}): Promise<CheckedDir> {
  const check = await import("./check/check-dir.js");
  return check.checkKuduDir(dir, options);
}

/**
 * Adds rows to a table. The server must be stopped, and all of its directories must be given. On failure, superblocks are unchanged.
 *
 * @throws {CFileError} `E_NOT_FOUND` for an unknown table. `E_INVALID_ARGUMENT` if columns do not match, a key exists, a row belongs to a
 *   missing tablet, or the timestamp is not after the last write. `E_UNSUPPORTED` for encrypted directories, several replicas, hash
 *   schemas per range, and unknown block managers. Also what reading throws
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

/**
 * Writes the directories of a new cluster that has the tables of another: the folder `master`, and `ts0`, `ts1` and so on for tablet
 * servers. Row sets keep their history; unflushed writes of the logs become row sets. Tables keep their IDs. Private keys, dropped
 * tables, the states of tablet servers and unfinished multi-row transactions are not restored. On failure, files remain: remove them.
 *
 * @throws {CFileError} `E_NOT_FOUND` for an unknown table, and for tablets without a replica, unless `emptyMissing`;
 *   `E_INVALID_ARGUMENT` for invalid addresses, and for two tables with the same name; damage, if no replica of a tablet is whole
 */
export async function restoreCluster(
  cluster: KuduCluster,
  options: RestoreOptions,
): Promise<RestoredCluster> {
  const restore = await import("./restore/restore-cluster.js");
  return restore.restoreCluster(cluster, options);
}

/**
 * Finds row sets and their tables in the data directories of a server whose metadata are lost. Tablets with superblocks are left
 * alone. Reads headers and footers of all blocks, all key columns, delta files and Bloom files, but no other columns.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails; `E_INVALID_ARGUMENT` if a choice names an unknown row set; damaged
 *   blocks are reported
 */
export async function rebuildKuduDir(dir: KuduDir, options: RebuildOptions = {}): Promise<RebuiltDir> {
  const rebuild = await import("./rebuild/rebuild-dir.js");
  return rebuild.rebuildKuduDir(dir, options);
}

/**
 * Writes the superblocks of all tablets that are certain, and the identity of the server. The new root and the data directories together
 * are read as one server.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` if no tablet is certain
 */
export async function writeRebuiltMetadata(
  dir: KuduDir,
  rebuilt: RebuiltDir,
  options: WriteMetadataOptions,
): Promise<WrittenMetadata> {
  const write = await import("./rebuild/write-metadata.js");
  return write.writeRebuiltMetadata(dir, rebuilt, options);
}

/**
 * The tables of a cluster: those of its catalog, and those that only superblocks know.
 *
 * @throws {CFileError} as `KuduCluster.replicaSets`; `E_INVALID_ARGUMENT` if two tables have the same name
 */
export async function tablesOfCluster(cluster: KuduCluster): Promise<readonly KnownTable[]> {
  const tables = await import("./rebuild/tables/known-tables.js");
  return tables.tablesOfCluster(cluster);
}

/** A table for `rebuildKuduDir`, whose columns have their positions as IDs, and whose tablets are unknown. */
export async function tableOfColumns(name: string, columns: readonly GivenColumn[]): Promise<KnownTable> {
  const tables = await import("./rebuild/tables/known-tables.js");
  return tables.tableOfColumns(name, columns, "given");
}
