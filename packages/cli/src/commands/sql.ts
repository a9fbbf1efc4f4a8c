/** `cfile sql`: queries of table stores, CFiles and the tables of Kudu servers, by DuckDB. */
import type { SqlOptions } from "@cfile/duckdb";
import { RECOVER, WRITES } from "../kudu/cluster/cluster-directories.js";
import { AS_OF, PARTIAL_HISTORY, RECORD_FORMATS, SERVER, WITH_LOG } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { flag, list, required, text, type Values } from "../program/option.js";
import type { FieldCells } from "../records/field-cells.js";
import { counted } from "../records/quantity.js";
import { RecordWriter } from "../records/record-writer.js";

const KUDU = {
  asOf: AS_OF,
  partialHistory: PARTIAL_HISTORY,
  withLog: WITH_LOG,
  ...WRITES,
  recover: RECOVER,
  ...SERVER,
};

export const sql = command({
  about:
    "Paths in quotes are tables, and so are the names of the tables in the directories of Kudu servers. Requires DuckDB: npm install @duckdb/node-api",
  args: {
    query: required(text("SQL", "query in the SQL of DuckDB")),
    dirs: list("DIR", "directories of any number of Kudu servers, or one that holds them"),
  },
  options: {
    ...RECORD_FORMATS,
    explain: flag("report on stderr the columns, conditions and rows that were read of each table"),
    ...KUDU,
  },
  examples: [
    ["Aggregate a table store", "cfile sql \"select city, avg(mm) from 'weather/' group by city\""],
    ["Filter by a date", "cfile sql \"select * from 'weather/' where day >= '2024-01-01'\" --format csv"],
    ["Query a table of a cluster", "cfile sql 'select count(*) from t' /backup/master /backup/ts*"],
  ],
  run: (context, { query, dirs, explain, ...values }) =>
    dirs.length === 0
      ? writeResult(context, query, {}, { ...values, explain })
      : withSqlTables(context, query, { ...values, dirs }, (tables) =>
          writeResult(context, query, tables, { ...values, explain }),
        ),
});

type KuduSqlValues = Values<typeof KUDU> & { readonly dirs: readonly string[] };
type ResultValues = Values<typeof RECORD_FORMATS> & { readonly explain: boolean };

async function withSqlTables(
  context: CliContext,
  query: string,
  values: KuduSqlValues,
  work: (tables: NonNullable<SqlOptions["tables"]>) => Promise<void>,
): Promise<void> {
  const { withKuduTables } = await import("../kudu/cluster/cluster-directories.js");
  const { sqlTables } = await import("../kudu/sql-tables.js");
  await withKuduTables(values, async (tables, isCluster) =>
    work(await sqlTables(context, tables, query, { ...values, withLog: values.withLog || isCluster })),
  );
}

async function writeResult(
  { io, stdout, stderr }: CliContext,
  query: string,
  tables: NonNullable<SqlOptions["tables"]>,
  { explain, ...values }: ResultValues,
): Promise<void> {
  const { querySql } = await import("@cfile/duckdb");
  await using result = await querySql(query, { tables, signal: io.signal });
  for (const { table, columns, where, rows } of explain ? result.scans : []) {
    const conditions = where.map((condition) =>
      "value" in condition ? `${condition.column} ${condition.op} ${condition.value}` : condition.column,
    );
    const filter = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
    await stderr.line(`${table}: ${columns.join(", ")}${filter}: ${counted(rows, "row")} read`);
  }
  const fields = result.columnNames.map((title, i) => ({
    title,
    align: isNumber(result.columnTypes[i]) ? ("right" as const) : ("left" as const),
  }));
  const writer = new RecordWriter(stdout, fields, values);
  for await (const rows of result.rows("json")) {
    io.signal?.throwIfAborted();
    await writer.write(
      rows.length,
      fields.map((_, i) => cellsOf(rows.map((row) => row[i]))),
    );
  }
  await writer.finish();
}

/** Numbers that JSON cannot hold exactly are text, as in all commands. */
function cellsOf(values: readonly unknown[]): FieldCells {
  const json = values.map((value) => JSON.stringify(value ?? null));
  const plain = values.map((value, i) =>
    value === null || value === undefined ? null : typeof value === "string" ? value : (json[i] ?? ""),
  );
  return { json: () => json, plain: () => plain };
}

function isNumber(type: string | undefined): boolean {
  return /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(\d+,\s*\d+\))$/.test(type ?? "");
}
