/** `CREATE TABLE … STORED AS KUDU`: the statement that creates a table in Impala. */
import type { KeyValue } from "@cfile/encodings/keys";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { DescribedTable } from "../describe-text.js";
import {
  hashText,
  identifier,
  identifiers,
  literal,
  quoted,
  remarkLines,
  sqlType,
  unstated,
} from "./sql-text.js";
import { rangeColumns, type TableRange, tableRanges } from "./table-ranges.js";

export function impalaStatement(table: DescribedTable): string {
  const { name, columns, owner, comment, replicas, extraConfig } = table;
  const keys = columns.filter(({ isKey, autoIncrementing }) => isKey && !autoIncrementing);
  const isUnique = columns.every(({ autoIncrementing }) => !autoIncrementing);
  const ranges = tableRanges(table);
  const properties = [
    ...(replicas === undefined ? [] : [["kudu.num_tablet_replicas", String(replicas)] as const]),
    ...(extraConfig ?? []),
  ];
  return [
    ...remarkLines([
      ...unstated(table),
      ...(owner === undefined ? [] : [`owner: ${JSON.stringify(owner)}`]),
      ...ranges.flatMap((range) => customHashRemark(range, table)),
    ]),
    `CREATE TABLE ${name.split(".").map(identifier).join(".")} (`,
    ...columns
      .filter(({ autoIncrementing }) => !autoIncrementing)
      .map((column) => `  ${columnText(column)},`),
    `  ${isUnique ? "" : "NON UNIQUE "}PRIMARY KEY (${identifiers(keys)})`,
    ")",
    ...partitionLines(table, ranges),
    ...(comment ? [`COMMENT ${quoted(comment)}`] : []),
    "STORED AS KUDU",
    ...(properties.length === 0
      ? []
      : [`TBLPROPERTIES (${properties.map((pair) => pair.map(quoted).join("=")).join(", ")})`]),
  ]
    .join("\n")
    .concat(";");
}

function columnText(column: KuduColumn): string {
  const { name, nullable, encoding, compression, blockSize, writeDefault, comment } = column;
  return [
    identifier(name),
    sqlType(column, "impala"),
    nullable ? "NULL" : "NOT NULL",
    `ENCODING ${encoding ?? "AUTO_ENCODING"}`,
    `COMPRESSION ${compression ?? "DEFAULT_COMPRESSION"}`,
    ...(writeDefault === undefined ? [] : [`DEFAULT ${literal(column, writeDefault, "impala")}`]),
    ...(blockSize === undefined ? [] : [`BLOCK_SIZE ${blockSize}`]),
    ...(comment ? [`COMMENT ${quoted(comment)}`] : []),
  ].join(" ");
}

function partitionLines(table: DescribedTable, ranges: readonly TableRange[]): string[] {
  const parts = (table.partitionSchema?.hash ?? []).map((hash) => hashText(hash, table));
  if (ranges.length > 0) {
    const columns = rangeColumns(table);
    const lines = ranges.map((range) => `  PARTITION ${rangeText(columns, range)}`);
    parts.push(`RANGE (${identifiers(columns)}) (\n${lines.join(",\n")}\n)`);
  }
  return parts.length === 0 ? [] : [`PARTITION BY ${parts.join(", ")}`];
}

function rangeText(columns: readonly KuduColumn[], { lower, upper }: TableRange): string {
  const bound = (values: readonly KeyValue[]): string => {
    const texts = columns.map((column, i) => literal(column, values[i] ?? null, "impala"));
    return texts.length === 1 ? texts.join() : `(${texts.join(", ")})`;
  };
  return [
    ...(lower === undefined ? [] : [`${bound(lower)} <=`]),
    "VALUES",
    ...(upper === undefined ? [] : [`< ${bound(upper)}`]),
  ].join(" ");
}

function customHashRemark(range: TableRange, table: DescribedTable): string[] {
  const { hash } = range;
  return hash === undefined
    ? []
    : [
        `Impala cannot state the hash partitioning of range ${rangeText(rangeColumns(table), range)}: ${hash.map((one) => hashText(one, table)).join(", ")}`,
      ];
}
