/** `cfile hudi export`: the rows of a table as files of another format. */
import { printable } from "@cfile/cell-text";
import { ArrayBatch, type ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";
import type { HudiBatch, HudiColumn } from "@cfile/hudi";
import { observed } from "../convert/observed.js";
import { formOfTarget, TABLE_FORMS } from "../convert/table-form.js";
import { writeTable } from "../convert/write-table.js";
import { COLUMNS, JSON_OPTION, output, WHERE } from "../options/options.js";
import { command } from "../program/command.js";
import { choice, flag } from "../program/option.js";
import { counted, sizeText } from "../records/quantity.js";
import { selectedColumns } from "../records/row-cells.js";
import { conditionsOf } from "./hudi-conditions.js";
import { HUDI_AS_OF, HUDI_TABLE, withHudiTable } from "./hudi-table.js";

const FORMS = TABLE_FORMS.filter((form) => form !== "rowset");

export const exportToFile = command({
  about:
    "Structs, maps and nested arrays are left out, and named on stderr; cfile hudi scan --ndjson prints them.",
  args: { table: HUDI_TABLE },
  options: {
    columns: COLUMNS,
    where: WHERE,
    asOf: HUDI_AS_OF,
    readOptimized: flag("read base files only, without the writes since the last compaction"),
    output: output(
      "FILE",
      "new .parquet, .arrow, .feather, .arrows, .csv or .ndjson file, or a directory for a CFile per column",
    ),
    to: choice("format of the output", FORMS, "by its name"),
    json: JSON_OPTION,
  },
  examples: [["Export a table as Parquet", "cfile hudi export trips -o trips.parquet"]],
  run: (context, { table: path, output: target, to, json, asOf, readOptimized, ...values }) =>
    withHudiTable(path, async (table) => {
      const { scanColumns, scanRows } = await import("@cfile/hudi");
      const all = await scanColumns(table, { asOf, baseOnly: readOptimized });
      const wanted = selectedColumns(all, values.columns);
      const columns = wanted.flatMap(flatColumn);
      const left = wanted.filter(({ name }) => !columns.some((column) => column.name === name));
      const names = columns.map(({ name }) => name);
      const { signal } = context.io;
      const where = conditionsOf(values.where, all);
      let count = 0;
      const rows = observed(
        flatRows(scanRows(table, { columns: names, where, asOf, readOptimized, signal })),
        ({ length }) => {
          count += length;
        },
      );
      const form = to ?? formOfTarget(target);
      const { bytes } = await writeTable(target, { columns, rows }, { form, keyNames: undefined });
      if (left.length > 0) {
        await context.stderr.line(
          `cfile: nested columns are left out: ${left.map(({ name }) => printable(name)).join(", ")}`,
        );
      }
      const skipped = left.map(({ name }) => name);
      await context.stdout.line(
        json
          ? JSON.stringify({ path: target, rows: count, columns: columns.length, bytes, skipped })
          : `${printable(target)}: ${counted(count, "row")}, ${counted(columns.length, "column")}, ${sizeText(bytes)}`,
      );
    }),
});

/** The column in files without nesting. */
function flatColumn({ name, avro, scalar, element }: HudiColumn): TableColumn[] {
  const single = scalar ?? element;
  if (single === undefined) {
    return [];
  }
  const digits =
    avro.kind === "bytes" || avro.kind === "fixed" ? { precision: avro.precision, scale: avro.scale } : {};
  return [{ name, type: single.type, nullable: true, array: scalar === undefined, ...digits }];
}

async function* flatRows(batches: AsyncIterable<HudiBatch>): AsyncGenerator<TableBatch, void, void> {
  let firstRow = 0;
  for await (const { length, names, columns } of batches) {
    yield { length, firstRow, names, columns: columns.map(flatBatch) };
    firstRow += length;
  }
}

function flatBatch(vector: HudiBatch["columns"][number]): ColumnBatch {
  if (vector.kind === "list") {
    const { child, offsets, length, validity, nullCount } = vector;
    if (child.kind !== "struct" && child.kind !== "list" && child.kind !== "map") {
      return new ArrayBatch({ type: child.type, length, firstRow: 0, validity, nullCount }, offsets, child);
    }
  }
  if (vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    throw new TypeError(`a ${vector.kind} in a column without nesting`);
  }
  return vector;
}
