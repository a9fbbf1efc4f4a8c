/** Opens the directories of Kudu servers. */
import type { FileTree } from "@cfile/io";
import { diskTree } from "@cfile/io/file";
import { findServerRoots, requiredServers } from "../catalog/server-roots.js";
import { KuduDir, type KuduDirOptions } from "./kudu-dir.js";

/** A path, a `file:` URL, or a tree of files. */
export type KuduDirInput = string | URL | FileTree;

/**
 * Opens the directories of one server: its roots, some of them, or one folder that holds them all. Reads only the small files that
 * identify the server.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no directory of a Kudu server; `E_INVALID_ARGUMENT`: directories of several servers, or an
 *   invalid key; `E_IO`, `E_UNSUPPORTED`: as `diskTree`
 *
 * @example
 * ```js
 * import { openKuduDir } from "@cfile/kudu-dir";
 *
 * const server = await openKuduDir("fixtures/golden/servers/log");
 * const table = await server.table("history");
 * for await (const { columns } of table.scan({ columns: ["id", "n"], limit: 2 })) {
 *   console.log(columns.map((column) => column.toArray()));
 * }
 * await server.close();
 * ```
 *
 * ```text
 * [ [ -50000, -49087 ], [ 1008, -28171 ] ]
 * ```
 */
export async function openKuduDir(
  input: KuduDirInput | readonly KuduDirInput[],
  options: KuduDirOptions = {},
): Promise<KuduDir> {
  return new KuduDir(await findServerRoots(await treesOf(input)), options);
}

/**
 * Opens the directories of any number of servers, each by itself: `openKuduCluster` reads them as one cluster.
 *
 * @throws {CFileError} as {@link openKuduDir}, but not for several servers
 */
export async function openKuduServers(
  input: KuduDirInput | readonly KuduDirInput[],
  options: KuduDirOptions = {},
): Promise<readonly KuduDir[]> {
  const servers = await requiredServers(await treesOf(input));
  return servers.map((roots) => new KuduDir(roots, options));
}

/** Opens paths and URLs as trees of files. */
export function treesOf(input: KuduDirInput | readonly KuduDirInput[]): Promise<readonly FileTree[]> {
  const inputs = [input].flat() as readonly KuduDirInput[];
  return Promise.all(
    inputs.map((one) => (typeof one === "string" || one instanceof URL ? diskTree(one) : one)),
  );
}
