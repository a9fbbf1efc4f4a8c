/** `cfile sql`: queries of table stores and CFiles, by DuckDB. */
import { RECORD_FORMATS } from "../options/options.js";
import { command } from "../program/command.js";
import { flag, required, text } from "../program/option.js";
import type { FieldCells } from "../records/field-cells.js";
import { counted } from "../records/quantity.js";
import { RecordWriter } from "../records/record-writer.js";

export const sql = command({
  about: "Paths in quotes are tables. Requires DuckDB: npm install @duckdb/node-api",
  args: { query: required(text("SQL", "query in the SQL of DuckDB")) },
  options: {
    ...RECORD_FORMATS,
    explain: flag("report on stderr the columns, conditions and rows that were read of each table"),
  },
  examples: [
    ["Aggregate a table store", "cfile sql \"select city, avg(mm) from 'weather/' group by city\""],
    ["Filter by a date", "cfile sql \"select * from 'weather/' where day >= '2024-01-01'\" --format csv"],
  ],
  run: async ({ io, stdout, stderr }, { query, explain, ...values }) => {
    const { querySql } = await import("@cfile/duckdb");
    await using result = await querySql(query, { signal: io.signal });
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
  },
});

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
