/** Tables of Kudu servers for SQL queries. */

import type { ScannableTable } from "@cfile/duckdb";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { CliContext } from "../program/context.js";
import { missingTablets } from "./cluster/cluster-directories.js";
import { columnsOf, type KuduTables, namesIn } from "./kudu-directory.js";
import { reportLog } from "./kudu-log-notice.js";

interface Snapshot {
  readonly asOf: bigint | undefined;
  readonly partialHistory: boolean;
  readonly withLog: boolean;
}

/**
 * The tables whose names the query has, each in the newest schema among its tablets.
 *
 * @throws {CFileError} for a tablet without a replica
 */
export async function sqlTables(
  context: CliContext,
  tables: KuduTables,
  query: string,
  snapshot: Snapshot,
): Promise<Record<string, ScannableTable>> {
  const found: Record<string, ScannableTable> = {};
  const used = namesInQuery(query);
  for (const { name, tablets } of await tables.tables()) {
    if (used.has(name.toLowerCase())) {
      const [missing] = await missingTablets(tables, { table: name, tablet: undefined });
      if (missing !== undefined) {
        throw missing.error;
      }
      for (const tablet of tablets) {
        await reportLog(context, tablet, snapshot.withLog);
      }
      found[name] = scannable(tablets, snapshot);
    }
  }
  return found;
}

/** Quoted texts and plain identifiers, in lower case: DuckDB ignores case. */
function namesInQuery(query: string): ReadonlySet<string> {
  const tokens = query.matchAll(/"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([\p{L}_][\p{L}\p{N}_$]*)/gu);
  return new Set(
    [...tokens].map(([, name, literal, plain]) =>
      (name?.replaceAll('""', '"') ?? literal?.replaceAll("''", "'") ?? plain ?? "").toLowerCase(),
    ),
  );
}

function scannable(tablets: readonly KuduTablet[], snapshot: Snapshot): ScannableTable {
  const columns = columnsOf(tablets, undefined);
  return {
    schema: { columns },
    async *scan({ columns: names, where, signal }): AsyncGenerator<TableBatch, void, void> {
      const selected = columnsOf(tablets, names);
      for (const tablet of tablets) {
        const nameOf = (name: string): string => namesIn(tablet, columnNamed(columns, name))[0] ?? name;
        const conditions = where.map((condition) => ({ ...condition, column: nameOf(condition.column) }));
        const options = { ...snapshot, columns: namesIn(tablet, selected), where: conditions, signal };
        for await (const batch of tablet.scan(options)) {
          yield { ...batch, names: selected.map(({ name }) => name) };
        }
      }
    },
  };
}

function columnNamed(columns: readonly KuduColumn[], name: string): readonly KuduColumn[] {
  return columns.filter((column) => column.name === name);
}
