/** `cfile sql`: queries of row sets and CFiles, by DuckDB. */
import type { Argv, CommandModule } from "yargs";
import { RECORD_CONFLICTS, RECORD_FLAGS, type RecordFlags, recordFormat } from "../options/record-format.js";
import type { CliContext } from "../program/context.js";
import type { FieldCells } from "../records/field-cells.js";
import { counted } from "../records/quantity.js";
import { RecordWriter } from "../records/record-writer.js";

interface SqlArguments extends RecordFlags {
  readonly query: string;
  readonly explain: boolean | undefined;
}

export function sqlCommand(context: CliContext): CommandModule<object, SqlArguments> {
  return {
    command: "sql <query>",
    describe: "query row sets and CFiles with SQL; needs npm install @duckdb/node-api",
    builder: (yargs: Argv) =>
      yargs
        .positional("query", {
          type: "string",
          demandOption: true,
          describe: "SQL of DuckDB; paths in quotes are tables",
        })
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .option("explain", {
          type: "boolean",
          describe: "tell on stderr which columns, conditions and rows were read of each table",
        })
        .example("$0 sql \"select city, avg(mm) from 'weather/' group by city\"", "")
        .example("$0 sql \"select * from 'weather/' where day >= '2024-01-01'\" --format csv", ""),
    handler: (args) => sql(context, args),
  };
}

async function sql({ io, stdout, stderr }: CliContext, args: SqlArguments): Promise<void> {
  const { querySql } = await import("@cfile/duckdb");
  await using result = await querySql(args.query, { signal: io.signal });
  if (args.explain) {
    for (const { table, columns, where, rows } of result.scans) {
      const conditions = where.map((condition) =>
        "value" in condition ? `${condition.column} ${condition.op} ${condition.value}` : condition.column,
      );
      const wanted = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
      await stderr.line(`${table}: ${columns.join(", ")}${wanted}: ${counted(rows, "row")} read`);
    }
  }
  const fields = result.columnNames.map((title, i) => ({
    title,
    align: isNumber(result.columnTypes[i]) ? ("right" as const) : ("left" as const),
  }));
  const writer = new RecordWriter(fields, recordFormat(args), stdout);
  for await (const rows of result.rows("json")) {
    io.signal?.throwIfAborted();
    await writer.write(
      rows.length,
      fields.map((_, i) => cellsOf(rows.map((row) => row[i]))),
    );
  }
  await writer.finish();
}

/** Numbers that JSON does not hold exactly are text, as in all commands. */
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
