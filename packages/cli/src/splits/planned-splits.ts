/** Plans the splits of CFiles, a manifest, a table store, a Hudi table, or the directories of Kudu servers. */
import { readdir, readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { scanColumns } from "@cfile/hudi";
import { fileDirectory } from "@cfile/io/file";
import { KuduDir, type WriteScope } from "@cfile/kudu-dir";
import { readManifest } from "@cfile/rowset/store";
import type { Split } from "@cfile/splits";
import type { PlanOptions, RowSetTable } from "@cfile/splits/plan";
import { planFiles, planHudi, planKudu, planRowSets, planTablets, tableOfManifest } from "@cfile/splits/plan";
import { type DatasetFiles, datasetFiles } from "cfile/dataset";
import { formOfName } from "../convert/table-form.js";
import { reportNested, withHudiTable } from "../hudi/hudi-table.js";
import {
  missingTablets,
  type WritesValues,
  withKuduTables,
  writeScope,
} from "../kudu/cluster/cluster-directories.js";
import { reportCatalog } from "../kudu/cluster/replica-notice.js";
import { tabletsOfTable } from "../kudu/kudu-directory.js";
import { reportLog } from "../kudu/kudu-log-notice.js";
import type { TableReadValues } from "../options/options.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { RoleTable } from "../table-store/row-set-roles.js";
import { directoryAt, tableFolder } from "../table-store/table-path.js";
import { isUrl, located } from "./located.js";

export interface PlanSettings extends TableReadValues, WritesValues {
  readonly targetBytes: number | undefined;
}

/** Splits, and a sentence for each tablet without data, which is not part of any split. */
export interface PlannedSplits {
  readonly splits: readonly Split[];
  readonly withoutData: readonly string[];
}

/**
 * @throws UsageError for sources that cannot be combined, and options that do not apply to them
 * @throws {CFileError} as `planFiles`, `planRowSets` and `planKudu`
 */
export async function plannedSplits(context: CliContext, args: PlanSettings): Promise<PlannedSplits> {
  const [first = "", ...others] = args.dirs;
  const kind = await kindOf(first);
  if (kind !== "files" && kind !== "kudu" && others.length > 0) {
    throw new UsageError(`unexpected source: "${others[0]}" (${first} is a whole table)`);
  }
  if (kind !== "kudu" && (args.table ?? args.tablet) !== undefined) {
    throw new UsageError("--table and --tablet apply to the directories of Kudu servers only");
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
    case "hudi":
      return hudiSplits(context, { ...args, table: resolve(first) }, common);
    case "rowset":
    case "roles": {
      const table = kind === "roles" ? await tableOfRoles(context, first) : await tableOfFolder(first);
      return { splits: await planRowSets(table, { ...common, open, asOf }), withoutData: [] };
    }
    default: {
      if (asOf !== undefined) {
        throw new UsageError("--as-of applies to table stores and Kudu servers only: CFiles have no history");
      }
      const input = kind === "files" ? args.dirs.map(located) : located(first);
      const dataset: DatasetFiles = await datasetFiles(input, await context.sources.options(first));
      return { splits: await planFiles(dataset, { ...common, open }), withoutData: [] };
    }
  }
}

type SourceKind = "files" | "folder" | "manifest" | "roles" | "rowset" | "kudu" | "hudi";

async function kindOf(name: string): Promise<SourceKind> {
  if (/\.json(?:[?#].*)?$/i.test(name) && formOfName(name) !== "rowset") {
    return isUrl(name) || !(await hasField(name, "row_sets")) ? "manifest" : "roles";
  }
  const folder = await directoryAt(name);
  if (folder === undefined) {
    return "files";
  }
  const names = await readdir(folder);
  if (names.includes("rowset.json")) {
    return "rowset";
  }
  if (names.includes(".hoodie")) {
    return "hudi";
  }
  return names.some((file) => formOfName(file) === "cfile") ? "folder" : "kudu";
}

async function hasField(path: string, field: string): Promise<boolean> {
  const text = await readFile(path, "utf8");
  // Errors are reported later, when the manifest is parsed.
  const json: unknown = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => undefined);
  return typeof json === "object" && json !== null && field in json;
}

async function tableOfFolder(name: string): Promise<RowSetTable> {
  const folder = resolve(await tableFolder(name));
  return tableOfManifest(await readManifest(await fileDirectory(folder)), folder);
}

async function tableOfRoles(context: CliContext, path: string): Promise<RowSetTable> {
  await using table = await RoleTable.open(resolve(path), (location) => context.sources.open(location));
  return {
    schema: table.schema,
    rowSets: table.rowSets.map(({ files: { columns, adhocIndex, redo, undo } }) => ({
      columns: new Map([...columns].map(([id, { name }]) => [id, name])),
      adhocIndex: adhocIndex?.name,
      redo: redo.map(({ name }) => name),
      undo: undo.map(({ name }) => name),
    })),
  };
}

async function hudiSplits(
  { stderr }: CliContext,
  { table: path, asOf: time }: { readonly table: string; readonly asOf: bigint | undefined },
  common: PlanOptions,
): Promise<PlannedSplits> {
  const asOf = time?.toString();
  if (asOf !== undefined && !/^(\d{14}|\d{17})$/.test(asOf)) {
    throw new UsageError("--as-of must be an instant like 20260228120000000 for a Hudi table");
  }
  return withHudiTable(path, async (table) => {
    const splits = await planHudi(table, { ...common, table: path, asOf });
    if (common.columns === undefined) {
      await reportNested(stderr, await scanColumns(table, { asOf, baseOnly: false }));
    }
    return { splits, withoutData: [] };
  });
}

async function kuduSplits(
  context: CliContext,
  args: PlanSettings,
  common: PlanOptions,
): Promise<PlannedSplits> {
  const dirs = args.dirs.map((dir) => resolve(dir));
  for (const dir of dirs) {
    await stat(dir);
  }
  const { asOf, partialHistory } = args;
  return withKuduTables({ ...args, dirs }, async (tables) => {
    const tablets = await tabletsOfTable(tables, args);
    await reportCatalog(context, tables);
    const options = { ...common, dirs, asOf, partialHistory };
    const others = tablets.filter(({ state }) => state !== "ready");
    const withoutData = [
      ...others.map(({ id, state }) => `tablet ${id} is ${state}`),
      ...(await missingTablets(tables, args)).map(({ error }) => error.reason),
    ];
    const advice = "splits do not include them; use kudu export --with-log";
    const isCluster = !(tables instanceof KuduDir);
    for (const tablet of tablets.filter(({ state }) => state === "ready")) {
      await reportLog(context, tablet, isCluster, advice);
    }
    if (tablets.length === 0) {
      return { splits: [], withoutData };
    }
    const splits = isCluster
      ? await planTablets(tablets, { ...options, withLog: true, writes: statedScope(args) })
      : await planKudu(tables, tablets, options);
    return { splits, withoutData };
  });
}

/** The default scope is omitted, as in splits of one server. */
function statedScope(values: WritesValues): WriteScope | undefined {
  const scope = writeScope(values);
  return scope === "possible" ? undefined : scope;
}
