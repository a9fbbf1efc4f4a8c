/** `CREATE TABLE … USING parquet` or `USING iceberg`: a table of the same columns for Spark. */
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { DescribedTable } from "../describe-text.js";
import {
  hashColumns,
  hashText,
  identifier,
  identifiers,
  literal,
  quoted,
  remarkLines,
  type SqlDialect,
  sqlType,
  unstated,
} from "./sql-text.js";
import { rangeColumns, tableRanges } from "./table-ranges.js";

export function sparkStatement(table: DescribedTable): string {
  const remarks = ["Parquet tables have no primary key, and no partitions by hash or range of a key"];
  return statement(table, "spark", "parquet", { remarks, clauses: [] });
}

/** Hash partitions of one column become `bucket` transforms. Iceberg has no transform for other partitions. */
export function icebergStatement(table: DescribedTable): string {
  const hash = table.partitionSchema?.hash ?? [];
  const single = hash.filter(({ columnIds }) => columnIds.length === 1);
  const buckets = single.map(
    ({ columnIds, buckets: count }) => `bucket(${count}, ${identifiers(hashColumns(columnIds, table))})`,
  );
  const others = hash.filter((one) => !single.includes(one)).map((one) => hashText(one, table));
  const ranges = tableRanges(table).length;
  if (ranges > 0) {
    others.push(`the ${ranges} ranges of (${identifiers(rangeColumns(table))})`);
  }
  return statement(table, "iceberg", "iceberg", {
    remarks: [
      "Iceberg's bucket function is not Kudu's hash",
      ...others.map((other) => `no partition transform for ${other}`),
      ...table.columns.flatMap(({ name, writeDefault }) =>
        writeDefault === undefined ? [] : [`the default of column ${JSON.stringify(name)} is left out`],
      ),
    ],
    clauses: buckets.length === 0 ? [] : [`PARTITIONED BY (${buckets.join(", ")})`],
  });
}

interface Parts {
  readonly remarks: readonly string[];
  readonly clauses: readonly string[];
}

function statement(table: DescribedTable, dialect: SqlDialect, format: string, parts: Parts): string {
  const { name, columns, owner, comment, extraConfig } = table;
  const keys = columns.filter(({ isKey }) => isKey).map((column) => column.name);
  const properties = [
    ["kudu.table", name],
    ["kudu.primary_key", keys.join(",")],
    ...(owner === undefined ? [] : [["kudu.owner", owner]]),
    ...(extraConfig ?? []),
  ];
  return [
    ...remarkLines([...unstated(table), ...parts.remarks]),
    `CREATE TABLE ${name.split(".").map(identifier).join(".")} (`,
    columns.map((column) => `  ${columnText(column, dialect)}`).join(",\n"),
    ")",
    `USING ${format}`,
    ...parts.clauses,
    ...(comment ? [`COMMENT ${quoted(comment)}`] : []),
    `TBLPROPERTIES (${properties.map((pair) => pair.map(quoted).join("=")).join(", ")});`,
  ].join("\n");
}

function columnText(column: KuduColumn, dialect: SqlDialect): string {
  const { name, nullable, writeDefault, comment } = column;
  return [
    identifier(name),
    sqlType(column, dialect),
    ...(nullable ? [] : ["NOT NULL"]),
    ...(writeDefault === undefined || dialect === "iceberg"
      ? []
      : [`DEFAULT ${literal(column, writeDefault, dialect)}`]),
    ...(comment ? [`COMMENT ${quoted(comment)}`] : []),
  ].join(" ");
}
