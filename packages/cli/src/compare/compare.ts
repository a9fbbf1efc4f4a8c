/** `cfile compare`: whether two tables have the same rows, and which rows differ. */
import { type ComparedTable, compareTables } from "@cfile/compare";
import { SQL_DIALECTS, type SqlDialect } from "@cfile/compare/query";
import { WRITES } from "../kudu/cluster/cluster-directories.js";
import { nameList } from "../options/csv-list.js";
import { wholeNumber } from "../options/option-values.js";
import {
  AS_OF,
  COLUMNS,
  JSON_OPTION,
  PARTIAL_HISTORY,
  SCHEMA,
  SERVER,
  TABLETS,
  WITH_LOG,
} from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { choice, exclusive, required, text, value, withDefault } from "../program/option.js";
import { selectedColumns } from "../records/row-cells.js";
import { TABLE_TEXT } from "../table/table-input.js";
import { type ComparedSide, type SideValues, withSide } from "./compared-side.js";
import { comparisonJson, comparisonLines } from "./comparison-report.js";

const TABLE =
  "table: directory of Kudu servers, of a table store or of Parquet files, an Iceberg table (DIR, or DIR@ID or DIR@TIME for a snapshot), or a file that convert reads";

export const compare = command({
  about:
    "The order of rows does not matter, nor do encodings and the width of integers. Without a key, rows are compared as a whole. If both tables are equal, each is read once; the exit code is 0. If not, it is 1.",
  args: { a: required(text("A", TABLE)), b: text("B", "table to compare it with") },
  options: {
    key: value("NAMES", "columns that identify a row", nameList, "the primary key of either table"),
    columns: COLUMNS,
    limit: withDefault(value("N", "maximum number of differences to print", wholeNumber), "20"),
    ...TABLETS,
    asOf: AS_OF,
    partialHistory: PARTIAL_HISTORY,
    withLog: WITH_LOG,
    ...WRITES,
    ...SERVER,
    schema: { ...SCHEMA, summary: `of CSV and NDJSON: ${SCHEMA.summary}`, preset: "that of the other table" },
    delimiter: TABLE_TEXT.delimiter,
    null: TABLE_TEXT.null,
    sql: choice("print a query that compares the far table with A where it lives", SQL_DIALECTS),
    sqlTable: text("NAME", "name of the far table, as SQL", "far_table"),
    json: JSON_OPTION,
  },
  examples: [
    ["Check an export", "cfile compare /backup/ts1 metrics.parquet --table metrics"],
    [
      "Compare with a table in Spark",
      "cfile compare /backup/ts1 --table metrics --sql spark --sql-table lake.metrics > check.sql",
    ],
    [
      "Compare an Iceberg table with its source",
      "cfile compare /backup/ts1 warehouse/db/t --table t --with-log --as-of 2024-02-29T12:00:00Z",
    ],
    ["Compare some columns of two files", "cfile compare a.parquet b.csv --key id --columns id,price"],
  ],
  run: async (context, { a, b, key, columns, limit, json, delimiter, null: nullText, ...options }) => {
    const values: SideValues = { ...options, text: { delimiter, nullText } };
    const { signal } = context.io;
    exclusive({ B: b, "--sql": options.sql });
    if (options.sql !== undefined) {
      await printQuery(context, a, { ...values, columns, sql: options.sql, sqlTable: options.sqlTable });
      return;
    }
    if (b === undefined) {
      throw new UsageError("missing argument: B");
    }
    const work = async (left: ComparedSide, right: ComparedSide): Promise<void> => {
      const found = await compareTables(left, right, { key, columns, limit, signal });
      const sides = [left.columns, right.columns];
      const lines = json
        ? [JSON.stringify(comparisonJson(found, sides))]
        : comparisonLines(found, sides, key ?? keyNamesOf(left, right));
      for (const line of lines) {
        await context.stdout.line(line);
      }
      context.exitCode = found.isEqual ? EXIT.ok : EXIT.failure;
    };
    // The side with types is opened first.
    await (isText(a) && !isText(b)
      ? withSide(context, b, { values }, (right) =>
          withSide(context, a, { values, typesOf: right.columns }, (left) => work(left, right)),
        )
      : withSide(context, a, { values }, (left) =>
          withSide(context, b, { values, typesOf: left.columns }, (right) => work(left, right)),
        ));
  },
});

async function printQuery(
  context: CliContext,
  name: string,
  values: SideValues & {
    readonly columns: readonly string[] | undefined;
    readonly sql: SqlDialect;
    readonly sqlTable: string | undefined;
  },
): Promise<void> {
  const { digestQuery, sqlDigest } = await import("@cfile/compare/query");
  const { sql, sqlTable = "far_table" } = values;
  await withSide(context, name, { values }, async (side) => {
    const columns = selectedColumns(side.columns, values.columns);
    const digest = await sqlDigest({ ...side, columns }, context.io.signal);
    await context.stdout.line(digestQuery(sql, sqlTable, columns, digest));
  });
}

const isText = (name: string): boolean => /\.(?:csv|ndjson|jsonl)$/i.test(name);

function keyNamesOf(a: ComparedTable, b: ComparedTable): readonly string[] {
  return [a.keyNames, b.keyNames].find((names) => names !== undefined && names.length > 0) ?? [];
}
