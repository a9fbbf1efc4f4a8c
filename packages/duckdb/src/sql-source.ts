/** Tables of a query: table stores and CFiles, named by quoted paths. */
import type { TableBatch } from "@cfile/encodings/batches";
import type { NamedCondition } from "@cfile/encodings/conditions";
import { openCFile, type TableColumn, type TableRows, tableOfFiles } from "@cfile/format";
import { openSource } from "@cfile/io";
import { openTableStore } from "@cfile/rowset/store";

export interface SqlSource {
  readonly columns: readonly TableColumn[];
  /** These columns of all rows that match the conditions, and possibly of other rows. */
  scan(columns: readonly string[], where: readonly NamedCondition[], signal?: AbortSignal): TableRows;
  close(): Promise<void>;
}

/** An open table whose scans can be limited to columns and rows, such as a table store. */
export interface ScannableTable {
  readonly schema: { readonly columns: readonly TableColumn[] };
  /** These columns of all rows that match the conditions, and possibly of other rows. */
  scan(options: {
    readonly columns: readonly string[];
    readonly where: readonly NamedCondition[];
    readonly signal: AbortSignal | undefined;
  }): AsyncIterable<TableBatch>;
}

export function rowSetSource(rowSet: ScannableTable): SqlSource {
  const { columns } = rowSet.schema;
  return {
    columns,
    scan: (names, where, signal) => ({
      columns: names.flatMap((name) => columns.find((column) => column.name === name) ?? []),
      rows: rowSet.scan({ columns: names, where, signal }),
    }),
    close: async () => undefined,
  };
}

/** The table store or CFile at a path; `undefined` for other paths. */
export async function sourceAt(path: string): Promise<SqlSource | undefined> {
  const { stat } = await import("node:fs/promises");
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() && /\.cfile$/i.test(path)) {
    const file = await openCFile(await openSource(path));
    const name = (path.split(/[\\/]/).at(-1) ?? path).replace(/\.cfile$/i, "");
    const scan = () => tableOfFiles({ [name]: file });
    return { columns: scan().columns, scan, close: () => file.close() };
  }
  const manifest = found?.isDirectory()
    ? await stat(`${path}/rowset.json`).catch(() => undefined)
    : undefined;
  if (manifest === undefined) {
    return undefined;
  }
  const rowSet = await openTableStore(path);
  return { ...rowSetSource(rowSet), close: () => rowSet.close() };
}

/** Quoted names in a query, which may be tables. */
export function quotedNames(sql: string): string[] {
  const names = [...sql.matchAll(/'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g)].map(
    ([, text, name]) => text?.replaceAll("''", "'") ?? name?.replaceAll('""', '"') ?? "",
  );
  return [...new Set(names)].filter((name) => name !== "");
}
