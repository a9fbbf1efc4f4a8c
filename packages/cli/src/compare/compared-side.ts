/**
 * Opens one side of a comparison: the directories of Kudu servers, an Iceberg table, a directory of Parquet files, or any table that can be
 * converted.
 */
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { MemoryArena } from "@cfile/bytes";
import { type ComparedPartition, type ComparedTable, kindOf } from "@cfile/compare";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { OpenTable } from "../convert/counted-source.js";
import { openTable, type SourceSettings } from "../convert/open-table.js";
import { formOfName } from "../convert/table-form.js";
import { missingTablets, withKuduTables } from "../kudu/cluster/cluster-directories.js";
import { reportCatalog } from "../kudu/cluster/replica-notice.js";
import { columnsOf, type KuduTables, namesIn, tabletsOfTable } from "../kudu/kudu-directory.js";
import { partitionText } from "../kudu/partition-text.js";
import type { SERVER, TABLETS } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import type { Values } from "../program/option.js";
import type { ColumnSpec } from "../table/schema.js";
import { directoryAt } from "../table-store/table-path.js";

export interface SideValues extends Values<typeof SERVER & typeof TABLETS> {
  readonly asOf: bigint | undefined;
  readonly partialHistory: boolean;
  readonly withLog: boolean;
  readonly confirmedOnly: boolean;
  readonly unconfirmed: boolean;
  readonly schema: string | undefined;
  readonly text: SourceSettings["text"];
}

/** One side, with all known type details of its columns. */
export interface ComparedSide extends ComparedTable {
  readonly columns: readonly ColumnSpec[];
}

/** Opens a table for as long as `work` runs. @param typesOf columns of the other side, which give CSV and NDJSON their types */
export async function withSide<T>(
  context: CliContext,
  name: string,
  { values, typesOf }: { readonly values: SideValues; readonly typesOf?: readonly ColumnSpec[] },
  work: (side: ComparedSide) => Promise<T>,
): Promise<T> {
  const { icebergSide } = await import("./iceberg-side.js");
  const table = await icebergSide(name);
  if (table !== undefined) {
    return work(table);
  }
  const folder = formOfName(name) === undefined ? await directoryAt(name) : undefined;
  const files = folder === undefined ? [] : (await readdir(folder)).sort();
  const parquet = files.filter((file) => formOfName(file) === "parquet" && !/^[._]/.test(file));
  if (parquet.length > 0) {
    return work(
      await sideOfFiles(
        context,
        parquet.map((file) => join(name, file)),
        values,
        undefined,
      ),
    );
  }
  if (folder === undefined || files.some((file) => /^rowset\.json$|\.cfile$/i.test(file))) {
    return work(await sideOfFiles(context, [name], values, typesOf));
  }
  return withKuduTables({ ...values, dirs: [name] }, async (tables, isCluster) => {
    await reportCatalog(context, tables);
    return work(await sideOfKudu(tables, { ...values, withLog: values.withLog || isCluster }));
  });
}

/** Files of one table. Each is a partition. */
async function sideOfFiles(
  context: CliContext,
  names: readonly string[],
  { schema, text }: SideValues,
  typesOf: readonly ColumnSpec[] | undefined,
): Promise<ComparedSide> {
  const settings = { from: undefined, schema: schema ?? typesOf, text };
  const open = (name: string): Promise<OpenTable> => openTable(context, [name], settings);
  let first: Pick<OpenTable, "columns" | "keyNames"> | undefined;
  for (const name of names) {
    const table = await open(name);
    await table.close();
    first ??= table;
    requireSameColumns(name, table.columns, first.columns);
  }
  return {
    columns: first?.columns ?? [],
    keyNames: names.length === 1 && formOfName(names[0] ?? "") !== "parquet" ? first?.keyNames : undefined,
    partitions: names.map((name) => ({
      name: basename(name),
      async *rows() {
        const table = await open(name);
        try {
          yield* table.rows;
        } finally {
          await table.close();
        }
      },
    })),
  };
}

function requireSameColumns(
  name: string,
  columns: readonly ColumnSpec[],
  first: readonly ColumnSpec[],
): void {
  const textOf = (all: readonly ColumnSpec[]): string =>
    all
      .map((column) => `${column.name}: ${kindOf(column)}`)
      .sort()
      .join("; ");
  if (textOf(columns) !== textOf(first)) {
    throw new UsageError(`${name}: has other columns than the first file of its directory`);
  }
}

/** A table of Kudu servers. Each tablet is a partition. */
async function sideOfKudu(tables: KuduTables, values: SideValues): Promise<ComparedSide> {
  const tablets = await tabletsOfTable(tables, values);
  for (const { error } of await missingTablets(tables, values)) {
    throw error;
  }
  const columns = columnsOf(tablets, undefined);
  return {
    columns,
    keyNames: columns.filter(({ isKey }) => isKey).map(({ name }) => name),
    partitions: tablets.map((tablet) => partitionOf(tablet, columns, values)),
  };
}

function partitionOf(
  tablet: KuduTablet,
  columns: ReturnType<typeof columnsOf>,
  { asOf, partialHistory, withLog }: SideValues,
): ComparedPartition {
  return {
    name: partitionText(tablet.superblock) || tablet.id,
    async *rows(signal) {
      const names = columns.map(({ name }) => name);
      const arena = new MemoryArena();
      const read = { columns: namesIn(tablet, columns), asOf, partialHistory, withLog, arena, signal };
      for await (const batch of tablet.scan({ ...read, order: "any" })) {
        // A tablet may still have columns by their old names.
        yield { ...batch, names };
      }
    },
  };
}
