/** Opens the directories of one Kudu server or several for commands that read each server separately. */
import { CFileError, isCFileError } from "@cfile/bytes";
import type { KuduDir, KuduTablet } from "@cfile/kudu-dir";
import { SERVER } from "../options/options.js";
import { text, type Values } from "../program/option.js";
import { type ServerValues, selectedTablets, serverTrees, type TabletValues } from "./kudu-directory.js";

/** Options of commands that read the directories of one server or several. */
export const SERVERS = { server: text("UUID", "of several servers, only this one"), ...SERVER };

export type ServersValues = ServerValues & Values<Pick<typeof SERVERS, "server">>;

export interface NamedServer {
  readonly dir: KuduDir;
  /** UUID, or a root without one; `undefined` if the directories are those of one server. */
  readonly name: string | undefined;
}

/**
 * Opens the directories for as long as `work` runs.
 *
 * @throws {CFileError} `E_NOT_FOUND` if there is no server `values.server`
 */
export async function withKuduServers<T>(
  values: ServersValues,
  work: (servers: readonly NamedServer[]) => Promise<T>,
): Promise<T> {
  const { openKuduServers } = await import("@cfile/kudu-dir");
  const { serverKey, historyMaxAge, server } = values;
  const options = { serverKey, historyMaxAgeSeconds: historyMaxAge };
  const opened = await openKuduServers(await serverTrees(values), options);
  try {
    const named = opened.map((dir) => ({ dir, name: opened.length > 1 ? serverName(dir) : undefined }));
    const selected = named.filter(({ dir }) => server === undefined || serverName(dir) === server);
    if (selected.length === 0) {
      const reason = `no server ${server}; servers: ${opened.map(serverName).join(", ")}`;
      throw new CFileError("E_NOT_FOUND", reason, { field: "server" });
    }
    return await work(selected);
  } finally {
    await Promise.all(opened.map((dir) => dir.close()));
  }
}

/** The UUID, or the first root if it is unknown. */
export function serverName({ uuid, roots }: KuduDir): string {
  return uuid ?? roots.names[0] ?? "unknown";
}

/**
 * The tablets of `--table` and `--tablet` on each server that has one.
 *
 * @throws {CFileError} `E_NOT_FOUND` if no server has the table or tablet
 */
export async function tabletsOnServers(
  servers: readonly NamedServer[],
  values: TabletValues,
): Promise<readonly (NamedServer & { readonly tablet: KuduTablet })[]> {
  const found: (NamedServer & { tablet: KuduTablet })[] = [];
  let unknown: CFileError | undefined;
  for (const server of servers) {
    try {
      const tablets = await selectedTablets(server.dir, values);
      found.push(...tablets.map((tablet) => ({ ...server, tablet })));
    } catch (error) {
      if (!isCFileError(error, "E_NOT_FOUND")) {
        throw error;
      }
      unknown = error;
    }
  }
  if (found.length === 0 && unknown !== undefined) {
    throw unknown;
  }
  return found;
}
