/** Splits of what the command line names: CFiles, a manifest, a row set, or the directories of a Kudu server. */
import { readdir, readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileDirectory } from "@cfile/io/file";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { RowSetSchema } from "@cfile/rowset";
import { readManifest } from "@cfile/rowset/store";
import type { Split } from "@cfile/splits";
import type { PlanOptions, RowSetTable } from "@cfile/splits/plan";
import { planFiles, planKudu, planRowSets, tableOfManifest } from "@cfile/splits/plan";
import type { DatasetFiles } from "cfile/dataset";
import { datasetFiles } from "cfile/dataset";
import { formOfName } from "../convert/table-form.js";
import { type TabletArguments, tabletsOfTable, withKuduDir } from "../kudu/kudu-directory.js";
import { tellOfLog } from "../kudu/kudu-log-notice.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { rowSetFolder } from "../table-store/row-set-path.js";
import { RoleTable } from "../table-store/row-set-roles.js";

export interface PlanArguments extends TabletArguments {
  readonly columns: readonly string[] | undefined;
  readonly where: readonly string[];
  readonly asOf: bigint | undefined;
  readonly partialHistory: boolean;
  readonly targetBytes: number | undefined;
}

/** Splits, and tablets whose rows are not among them as they are not here. */
export interface PlannedSplits {
  readonly splits: readonly Split[];
  readonly withoutData: readonly KuduTablet[];
}

/**
 * @throws UsageError for sources that do not go together, and options that are not for them; CFileError as `planFiles`,
 *   `planRowSets` and `planKudu`
 */
export async function plannedSplits(context: CliContext, args: PlanArguments): Promise<PlannedSplits> {
  const [first = "", ...others] = args.dirs;
  const kind = await kindOf(first);
  if (kind !== "files" && kind !== "kudu" && others.length > 0) {
    throw new UsageError(`${first} is a table by itself; one source is expected`);
  }
  if (kind !== "kudu" && (args.table ?? args.tablet) !== undefined) {
    throw new UsageError("--table and --tablet are for the directories of a Kudu server");
  }
  const { columns, targetBytes, asOf } = args;
  const { signal } = context.io;
  const common: PlanOptions = {
    columns,
    targetBytes,
    signal,
    where: (known) => args.where.map((text) => parseWhere(text, known)),
  };
  const open = (location: string) => context.sources.openAnew(location);
  switch (kind) {
    case "kudu":
      return kuduSplits(context, args, common);
    case "rowset":
    case "roles": {
      const table = kind === "roles" ? await tableOfRoles(context, first) : await tableOfFolder(first);
      return { splits: await planRowSets(table, { ...common, open, asOf }), withoutData: [] };
    }
    default: {
      if (asOf !== undefined) {
        throw new UsageError("--as-of is for row sets and Kudu servers: CFiles have no history");
      }
      const input = kind === "files" ? args.dirs.map(located) : located(first);
      const dataset: DatasetFiles = await datasetFiles(input, await context.sources.options(first));
      return { splits: await planFiles(dataset, { ...common, open }), withoutData: [] };
    }
  }
}

type SourceKind = "files" | "folder" | "manifest" | "roles" | "rowset" | "kudu";

async function kindOf(name: string): Promise<SourceKind> {
  if (/\.json(?:[?#].*)?$/i.test(name) && formOfName(name) !== "rowset") {
    return isUrl(name) || !(await hasField(name, "row_sets")) ? "manifest" : "roles";
  }
  const folder = await rowSetFolder(name);
  if (folder === undefined) {
    return "files";
  }
  const names = await readdir(folder);
  if (names.includes("rowset.json")) {
    return "rowset";
  }
  return names.some((file) => formOfName(file) === "cfile") ? "folder" : "kudu";
}

async function hasField(path: string, field: string): Promise<boolean> {
  const text = await readFile(path, "utf8");
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && field in json;
  } catch {
    // What is wrong with it its reader tells.
    return false;
  }
}

function isUrl(name: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(name);
}

/** Whoever reads the splits may be in another folder. */
function located(name: string): string {
  return isUrl(name) ? name : resolve(name);
}

async function tableOfFolder(name: string): Promise<RowSetTable> {
  const folder = resolve((await rowSetFolder(name)) ?? name);
  return tableOfManifest(await readManifest(await fileDirectory(folder)), folder);
}

async function tableOfRoles(context: CliContext, path: string): Promise<RowSetTable> {
  await using table = await RoleTable.open(resolve(path), (location) => context.sources.open(location));
  const schema: RowSetSchema = table.schema;
  return {
    schema,
    rowSets: table.rowSets.map(({ files: { columns, adhocIndex, redo, undo } }) => ({
      columns: new Map([...columns].map(([id, { name }]) => [id, name])),
      adhocIndex: adhocIndex?.name,
      redo: redo.map(({ name }) => name),
      undo: undo.map(({ name }) => name),
    })),
  };
}

async function kuduSplits(
  context: CliContext,
  args: PlanArguments,
  common: PlanOptions,
): Promise<PlannedSplits> {
  const dirs = args.dirs.map((dir) => resolve(dir));
  for (const dir of dirs) {
    await stat(dir);
  }
  return withKuduDir({ ...args, dirs }, async (dir) => {
    const tablets = await tabletsOfTable(dir, args);
    const { asOf, partialHistory } = args;
    const splits = await planKudu(dir, tablets, { ...common, dirs, asOf, partialHistory });
    for (const tablet of tablets.filter(({ state }) => state === "ready")) {
      await tellOfLog(context, tablet, false, "kudu export --with-log applies them, splits do not have them");
    }
    return { splits, withoutData: tablets.filter(({ state }) => state !== "ready") };
  });
}
