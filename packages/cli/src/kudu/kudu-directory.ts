/** Opens the directories of a Kudu server for a command, and selects tablets and columns. */
import { CFileError } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import { diskTree } from "@cfile/io/file";
import type { KuduDir, KuduTablet, LogEnd } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { SplitDirectories } from "@cfile/splits";
import type { SERVER, TABLETS } from "../options/options.js";
import { UsageError } from "../program/exit-code.js";
import { list, required, type Values } from "../program/option.js";
import { selectedColumns } from "../records/row-cells.js";

export const DIRS = required(list("DIR", "directories of a Kudu server, or one directory that holds them"));

export type ServerValues = Values<typeof SERVER> & {
  readonly dirs: readonly string[];
  /** For one server: the ends of its tablets' logs, by tablet ID. Default: the ends of the files. */
  readonly logEnds?: Readonly<Record<string, LogEnd>> | undefined;
};

export type TabletValues = Values<typeof TABLETS>;

/** The directories as trees of files. Calls for them block the thread: a server has many small files. */
export function serverTrees({ dirs }: ServerValues): Promise<readonly FileTree[]> {
  return Promise.all(dirs.map((dir) => diskTree(dir, { blocking: true })));
}

/** Opens the directories for as long as `work` runs. */
export async function withKuduDir<T>(values: ServerValues, work: (dir: KuduDir) => Promise<T>): Promise<T> {
  const { openKuduDir } = await import("@cfile/kudu-dir");
  const { serverKey, historyMaxAge, logEnds } = values;
  const options = { serverKey, historyMaxAgeSeconds: historyMaxAge, logEnds };
  await using dir = await openKuduDir(await serverTrees(values), options);
  return await work(dir);
}

/** The tables of one server or of several. With several, each tablet is read from its best replica. */
export type KuduTables = SplitDirectories & Pick<KuduDir, "tables" | "table" | "tablets" | "problems">;

/**
 * The tablets of `--table` and `--tablet`; all without them.
 *
 * @throws {CFileError} `E_NOT_FOUND` for an unknown table or tablet
 */
export async function selectedTablets(
  dir: KuduTables,
  { table, tablet }: TabletValues,
): Promise<readonly KuduTablet[]> {
  if (tablet === undefined) {
    return table === undefined ? dir.tablets() : (await dir.table(table)).tablets;
  }
  const found = await dir.tablet(tablet);
  if (table !== undefined && found.tableName !== table && found.tableId !== table) {
    const reason = `tablet ${tablet} belongs to table "${found.tableName}", not to "${table}"`;
    throw new CFileError("E_NOT_FOUND", reason, { field: "table" });
  }
  return [found];
}

/**
 * The tablets of one table.
 *
 * @throws UsageError when neither `--table` nor `--tablet` selects one of several tables
 */
export async function tabletsOfTable(dir: KuduTables, values: TabletValues): Promise<readonly KuduTablet[]> {
  if (values.table !== undefined || values.tablet !== undefined) {
    return selectedTablets(dir, values);
  }
  const tables = await dir.tables();
  const [only] = tables;
  if (only === undefined || tables.length > 1) {
    const names = [...new Set(tables.map(({ name }) => name))].join(", ");
    throw new UsageError(`missing option: --table or --tablet (tables: ${names || "none"})`);
  }
  return only.tablets;
}

/** Columns of the newest schema among the tablets, in the order of the names; all without names. */
export function columnsOf(
  tablets: readonly KuduTablet[],
  names: readonly string[] | undefined,
): readonly KuduColumn[] {
  const newest = tablets.reduce<KuduTablet | undefined>(
    (last, tablet) =>
      last === undefined || tablet.superblock.schemaVersion > last.superblock.schemaVersion ? tablet : last,
    undefined,
  );
  return selectedColumns(newest?.schema.columns ?? [], names);
}

/** The names of columns in a tablet, whose schema may be older. */
export function namesIn(tablet: KuduTablet, columns: readonly KuduColumn[]): readonly string[] {
  return columns.map(
    ({ id, name }) => tablet.schema.columns.find((column) => column.id === id)?.name ?? name,
  );
}
