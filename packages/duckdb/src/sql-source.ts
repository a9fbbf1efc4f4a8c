/** What SQL can be asked of: row sets and CFiles, named by their paths in quotes. */
import type { NamedCondition } from "@cfile/encodings/conditions";
import { openCFile, type TableColumn, type TableRows, tableOfFiles } from "@cfile/format";
import { openSource } from "@cfile/io";
import { openTableStore, type TableStore } from "@cfile/rowset/store";

export interface SqlSource {
  readonly columns: readonly TableColumn[];
  /** Rows that fulfil the conditions, or more; of these columns. */
  scan(
    columns: readonly string[],
    where: readonly NamedCondition[],
    signal: AbortSignal | undefined,
  ): TableRows;
  close(): Promise<void>;
}

/** A row set as a source. */
export function rowSetSource(rowSet: Pick<TableStore, "schema" | "scan">): SqlSource {
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

/** The row set or CFile at a path; `undefined` where there is neither. */
export async function sourceAt(path: string): Promise<SqlSource | undefined> {
  const { stat } = await import("node:fs/promises");
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() && /\.cfile$/i.test(path)) {
    const file = await openCFile(await openSource(path));
    const name = (path.split(/[\\/]/).at(-1) ?? path).replace(/\.cfile$/i, "");
    const { columns } = tableOfFiles({ [name]: file });
    return { columns, scan: () => tableOfFiles({ [name]: file }), close: () => file.close() };
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

/** Names that stand in quotes in a query, and may be tables. */
export function quotedNames(sql: string): string[] {
  const names = [...sql.matchAll(/'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g)].map(
    ([, text, name]) => text?.replaceAll("''", "'") ?? name?.replaceAll('""', '"') ?? "",
  );
  return [...new Set(names)].filter((name) => name !== "");
}
