/** `cfile hudi stats`: column statistics of files. */
import { toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { ColumnStats, WrappedValue } from "@cfile/hudi";
import { COLUMNS, JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import { text } from "../program/option.js";
import { left, right, tableLines } from "../records/table.js";
import { HUDI_TABLE, partitionText, withHudiTable } from "./hudi-table.js";

const FIELDS = [
  "partition",
  "file",
  "column",
  "minValue",
  "maxValue",
  "valueCount",
  "nullCount",
  "totalSize",
  "totalUncompressedSize",
  "isDeleted",
];

export const stats = command({
  about: "Prints what the metadata table's column_stats say of each file. Bytes are hexadecimal.",
  args: { table: HUDI_TABLE },
  options: { partition: text("PATH", "only this partition", "all"), columns: COLUMNS, json: JSON_OPTION },
  examples: [["Print the bounds of one column", "cfile hudi stats trips --columns fare"]],
  run: (context, { table: path, partition, columns, json }) =>
    withHudiTable(path, async (table) => {
      const { columnStats, tableColumns } = await import("@cfile/hudi");
      const names = columns ?? (await tableColumns(table)).map(({ name }) => name);
      const records: unknown[][] = [];
      const { metadata } = table;
      for (const own of partition === undefined ? await table.partitions() : [partition]) {
        const files = [...(await table.filesOf(own)).keys()];
        const found = metadata?.has("column_stats")
          ? await columnStats(metadata, own, files, names)
          : new Map();
        for (const file of files) {
          for (const [column, entry] of found.get(file) ?? []) {
            records.push([own, file, column, ...statsJson(entry)]);
          }
        }
      }
      if (json) {
        return context.stdout.line(JSON.stringify({ fields: FIELDS, records }));
      }
      const titles = ["partition", "file", "column", "minimum", "maximum", "values", "nulls"];
      const rows = records.map(([own, file, column, min, max, values, nulls]) =>
        [partitionText(String(own)), file, column, boundText(min), boundText(max), values, nulls].map(
          (cell) => printable(String(cell)),
        ),
      );
      await context.stdout.line(
        tableLines(
          titles.map((title, i) => (i < 5 ? left(title) : right(title))),
          rows,
          "",
        ).join("\n"),
      );
    }),
});

function statsJson({
  min,
  max,
  valueCount,
  nullCount,
  totalSize,
  totalUncompressedSize,
}: ColumnStats): unknown[] {
  return [boundJson(min), boundJson(max), valueCount, nullCount, totalSize, totalUncompressedSize, false];
}

function boundJson(bound: WrappedValue | undefined): Readonly<Record<string, unknown>> | null {
  if (bound === undefined) {
    return null;
  }
  const { wrapper, value } = bound;
  if (value instanceof Uint8Array) {
    return { [wrapper]: toHex(value) };
  }
  const isText = typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value));
  return { [wrapper]: isText ? String(value) : value };
}

function boundText(bound: unknown): string {
  const [value] = typeof bound === "object" && bound !== null ? Object.values(bound) : [];
  return value === undefined ? "" : String(value);
}
