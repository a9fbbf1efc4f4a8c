/** `cfile hudi export`: the rows of a table as files of another format. */
import { printable } from "@cfile/cell-text";
import { observed } from "../convert/observed.js";
import { formOfTarget, TABLE_FORMS } from "../convert/table-form.js";
import { writeTable } from "../convert/write-table.js";
import { COLUMNS, JSON_OPTION, output, WHERE } from "../options/options.js";
import { command } from "../program/command.js";
import { choice, flag } from "../program/option.js";
import { counted, sizeText } from "../records/quantity.js";
import { selectedColumns } from "../records/row-cells.js";
import { conditionsOf } from "./hudi-conditions.js";
import { HUDI_AS_OF, HUDI_TABLE, reportNested, withHudiTable } from "./hudi-table.js";

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
      const { flatColumns, flatRows, scanColumns, scanRows } = await import("@cfile/hudi");
      const all = await scanColumns(table, { asOf, baseOnly: readOptimized });
      const wanted = selectedColumns(all, values.columns);
      const columns = flatColumns(wanted);
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
      const skipped = await reportNested(context.stderr, wanted);
      await context.stdout.line(
        json
          ? JSON.stringify({ path: target, rows: count, columns: columns.length, bytes, skipped })
          : `${printable(target)}: ${counted(count, "row")}, ${counted(columns.length, "column")}, ${sizeText(bytes)}`,
      );
    }),
});
