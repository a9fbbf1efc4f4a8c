/**
 * Checks the small files of a server: each root names the server, and each tablet has its superblock, Raft configuration and
 * write-ahead log (docs/spec/kudu-data-dir.md#1-directory-layout). On a master, it also reads every entry of the catalog.
 */
import { CFileError, findingOf } from "@cfile/bytes";
import type { FilePlace } from "../blocks/file-pool.js";
import { CATALOG_TABLET, readCatalog } from "../cluster/read-catalog.js";
import { firstSegment } from "../log/log-segments.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { type DirProblem, problemOf } from "./check-row-set.js";

const TABLET_ID = /^[0-9a-f]{32}$/;

/**
 * Checks all tablets, or only the given ones.
 *
 * @throws {CFileError} `E_IO` if a folder cannot be read
 */
export async function checkMetadata(
  dir: KuduDir,
  selected: readonly KuduTablet[] | undefined,
  report: (problem: DirProblem) => void,
): Promise<void> {
  const { consensusFolders, logFolders, unnamed } = dir.roots;
  const configurations = await tabletsIn(consensusFolders);
  const tablets = selected ?? (await dir.tablets());
  for (const tablet of tablets) {
    for (const problem of await problemsOf(dir, tablet, configurations)) {
      report({ ...problem, tablet: tablet.id, table: tablet.tableName });
    }
  }
  if (selected === undefined) {
    for (const path of unnamed) {
      report({ ...missing("the directory has no instance file", "instance"), path });
    }
    const known = new Set([...tablets, ...(await dir.damagedTablets())].map(({ id }) => id));
    const logs = (await tabletsIn(logFolders)) ?? [];
    for (const tablet of new Set([...(configurations ?? []), ...logs])) {
      if (!known.has(tablet)) {
        report({
          ...missing("the tablet has a log or Raft configuration, but no superblock", "superblock"),
          tablet,
        });
      }
    }
  }
}

/** The tablets that have a file or folder in one of the folders; `undefined` if there are no such folders. */
async function tabletsIn(folders: readonly FilePlace[]): Promise<ReadonlySet<string> | undefined> {
  const names = await Promise.all(folders.map(({ tree, path }) => tree.list(path)));
  const tablets = names.flat().flatMap(({ name }) => (TABLET_ID.test(name) ? [name] : []));
  return folders.length === 0 ? undefined : new Set(tablets);
}

/** Problems of a tablet. A tombstone keeps its superblock and Raft configuration, but no log. */
async function problemsOf(
  dir: KuduDir,
  tablet: KuduTablet,
  configurations: ReadonlySet<string> | undefined,
): Promise<DirProblem[]> {
  const problems: DirProblem[] = [];
  if (tablet.state === "ready" && configurations?.has(tablet.id) === false) {
    problems.push(missing("the tablet has no Raft configuration", "consensus"));
  }
  const { logFolders } = dir.roots;
  if (
    tablet.state === "ready" &&
    logFolders.length > 0 &&
    (await firstSegment(logFolders, tablet.id)) === undefined
  ) {
    problems.push(
      missing("the tablet has no write-ahead log; writes that were not flushed may be lost", "log"),
    );
  }
  const reads = new Map<string, () => Promise<unknown>>([["consensus", () => dir.consensus(tablet.id)]]);
  if (tablet.id === CATALOG_TABLET) {
    reads.set("catalog", () => readCatalog(tablet));
  }
  for (const [role, read] of reads) {
    try {
      await read();
    } catch (error) {
      problems.push({ ...problemOf(findingOf(error)), role });
    }
  }
  return problems;
}

function missing(reason: string, role: string): DirProblem {
  return { ...problemOf(new CFileError("E_NOT_FOUND", reason, { field: role })), role };
}
