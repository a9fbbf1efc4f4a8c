/** Opening a Kudu server's directories on the command line, with the options that all such commands have. */

import { CFileError } from "@cfile/bytes";
import type { KuduDir, KuduTable, KuduTablet } from "@cfile/kudu-dir";
import { wholeNumber } from "../options/option-values.js";
import { given } from "../options/options.js";
import { UsageError } from "../program/exit-code.js";

export const DIRS = /* @__PURE__ */ Object.freeze({
  type: "string",
  array: true,
  demandOption: true,
  describe: "roots of one Kudu server, or a folder that holds them",
} as const);

export const KUDU_FLAGS = {
  "server-key": {
    type: "string",
    requiresArg: true,
    describe: "hex digits of the server's key, when a key management service has wrapped it",
  },
  "history-max-age": {
    type: "string",
    requiresArg: true,
    describe: "seconds for which the server kept history [default: what the table says, else 604800]",
  },
} as const;

export const TABLET_FLAGS = {
  table: { type: "string", requiresArg: true, describe: "name or id of a table" },
  tablet: { type: "string", requiresArg: true, describe: "id of a tablet" },
} as const;

export interface KuduArguments {
  readonly dirs: readonly string[];
  readonly serverKey?: string | undefined;
  readonly historyMaxAge?: string | undefined;
}

export interface TabletArguments extends KuduArguments {
  readonly table?: string | undefined;
  readonly tablet?: string | undefined;
}

/** Opens the directories for as long as `work` runs. */
export async function withKuduDir<T>(args: KuduArguments, work: (dir: KuduDir) => Promise<T>): Promise<T> {
  const { openKuduDir } = await import("@cfile/kudu-dir");
  await using dir = await openKuduDir(args.dirs, {
    serverKey: args.serverKey,
    historyMaxAgeSeconds: given(args.historyMaxAge, (text) => wholeNumber("--history-max-age", text)),
  });
  return await work(dir);
}

/**
 * The tablets that `--table` and `--tablet` name; all when neither is given.
 *
 * @throws CFileError `E_NOT_FOUND` when there are none
 */
export async function chosenTablets(
  dir: KuduDir,
  { table, tablet }: Pick<TabletArguments, "table" | "tablet">,
): Promise<readonly KuduTablet[]> {
  if (tablet !== undefined) {
    const found = await dir.tablet(tablet);
    if (table !== undefined && found.tableName !== table && found.tableId !== table) {
      throw new CFileError("E_NOT_FOUND", `tablet ${tablet} is of table "${found.tableName}"`, {
        field: "table",
      });
    }
    return [found];
  }
  return table === undefined ? dir.tablets() : (await dir.table(table)).tablets;
}

/** Of one table. */
export async function tabletsOfTable(
  dir: KuduDir,
  args: Pick<TabletArguments, "table" | "tablet">,
): Promise<readonly KuduTablet[]> {
  if (args.table === undefined && args.tablet === undefined) {
    const tables: readonly KuduTable[] = await dir.tables();
    const [only] = tables;
    if (only === undefined || tables.length > 1) {
      const names = [...new Set(tables.map(({ name }) => name))].join(", ");
      throw new UsageError(`--table or --tablet is expected; there are ${names || "no tables"}`);
    }
    return only.tablets;
  }
  return chosenTablets(dir, args);
}
