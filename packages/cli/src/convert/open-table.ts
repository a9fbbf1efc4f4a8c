/** Opens tables in any format. */
import { printable } from "@cfile/cell-text";
import { tableOfFiles } from "@cfile/format";
import { openTableStore } from "@cfile/rowset/store";
import { openCFile } from "cfile";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { sum } from "../records/quantity.js";
import type { ColumnSpec } from "../table/schema.js";
import type { TableFormat } from "../table/table-rows.js";
import { tableFolder } from "../table-store/table-path.js";
import { bytesOf, countedSource, type OpenTable } from "./counted-source.js";
import { observed } from "./observed.js";
import { cfilesAt, formOfName, formOfSource, type TableForm } from "./table-form.js";
import { openText } from "./text-table.js";

export interface SourceSettings {
  /** Default: by the name of the source. */
  readonly from: TableForm | undefined;
  /** Columns of CSV and NDJSON; default: types from the values, for which the text is read twice. */
  readonly schema: string | readonly ColumnSpec[] | undefined;
  readonly text: Pick<TableFormat, "delimiter" | "nullText">;
}

/** Opens a table store, a file of a whole table, or CFiles, which are the columns of one table. */
export async function openTable(
  context: CliContext,
  names: readonly string[],
  settings: SourceSettings,
): Promise<OpenTable> {
  const [first = ""] = names;
  const form = settings.from ?? (await formOfSource(first));
  if (form !== "cfile" && names.length > 1) {
    throw new UsageError(
      `unexpected source: "${names[1]}" (${first} is a whole table; only CFiles can be combined)`,
    );
  }
  switch (form) {
    case "csv":
    case "ndjson":
      return openText(context, first, { kind: form, ...settings.text }, settings.schema);
    case "rowset":
      return openStore(context, first);
    case "parquet":
      return openParquetTable(context, first);
    case "arrow":
    case "arrows":
      return openArrow(context, first);
    case "cfile":
      return openFiles(context, (await Promise.all(names.map(cfilesAt))).flat());
  }
}

async function openStore({ io: { signal } }: CliContext, name: string): Promise<OpenTable> {
  const table = await openTableStore(await tableFolder(name), { signal });
  const total = sum(table.rowSets.map(({ rowCount }) => rowCount));
  const { columns } = table.schema;
  let rows = 0;
  return {
    columns,
    rows: observed(table.scan({ signal }), ({ length }) => {
      rows += length;
    }),
    keyNames: columns.filter(({ isKey }) => isKey).map((column) => column.name),
    bytes: sum(table.files.flat().map(({ bytes }) => bytes)),
    done: () => rows / Math.max(1, total),
    close: () => table.close(),
  };
}

async function openParquetTable(context: CliContext, name: string): Promise<OpenTable> {
  const { openParquetFile } = await import("../parquet/open-parquet-file.js");
  const { source, size } = await countedSource(context, name);
  const file = await openParquetFile(context, source);
  const [refused] = file.refused;
  if (refused !== undefined) {
    await file.close();
    const { name: column, reason } = refused;
    throw new UsageError(`${name}: unsupported column ${printable(column)}: ${printable(reason)}`);
  }
  return {
    columns: file.columns,
    ...(file.sortedBy.length > 0 && { keyNames: file.sortedBy }),
    rows: file.scan(),
    bytes: size,
    done: () => source.metrics.bytes / size,
    close: () => file.close(),
  };
}

async function openArrow(context: CliContext, name: string): Promise<OpenTable> {
  const { apacheArrow } = await import("@cfile/arrow/apache");
  const arrow = await apacheArrow();
  const { source, size } = await countedSource(context, name);
  const close = async (): Promise<void> => source.close?.();
  try {
    const { columns, rows } = await arrow.readIpc(bytesOf(source, size, context.io.signal));
    return { columns, rows, bytes: size, done: () => source.metrics.bytes / size, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openFiles(context: CliContext, names: readonly string[]): Promise<OpenTable> {
  const { signal } = context.io;
  const opened = await Promise.all(names.map((name) => countedSource(context, name)));
  const files = await Promise.all(opened.map(({ source }) => openCFile(source, { signal })));
  const byName = Object.fromEntries(files.map((file, i) => [columnName(names[i] ?? ""), file]));
  if (Object.keys(byName).length < names.length) {
    throw new UsageError("two sources have the same name (each name is a column of the table)");
  }
  const bytes = sum(opened.map(({ size }) => size));
  return {
    ...tableOfFiles(byName),
    bytes,
    done: () => sum(opened.map(({ source }) => source.metrics.bytes)) / Math.max(1, bytes),
    close: async () => {
      await Promise.all(files.map((file) => file.close()));
    },
  };
}

/** `dir/amount.cfile` is the column `amount`. */
function columnName(path: string): string {
  const name = (formOfName(path) === "cfile" ? path.split(/[?#]/)[0] : path)?.split(/[\\/]/).at(-1) ?? path;
  return name.replace(/\.cfile$/i, "");
}
