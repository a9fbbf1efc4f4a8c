/** `cfile hbase export` and `cfile hbase splits`: cells as columns in files. */
import { isCFileError, toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { observed } from "../convert/observed.js";
import { formOfTarget, TABLE_FORMS } from "../convert/table-form.js";
import { writeTable } from "../convert/write-table.js";
import { wholeNumber } from "../options/option-values.js";
import { JSON_OPTION, output } from "../options/options.js";
import { command } from "../program/command.js";
import { UsageError } from "../program/exit-code.js";
import { choice, required, text, value } from "../program/option.js";
import { startProgress } from "../program/progress.js";
import { counted, sizeText } from "../records/quantity.js";
import { lossesJson, reportLosses } from "./hbase-losses.js";
import { CELLS, RECOVER, ROOT, ROW, SOURCE, withHBaseTable } from "./hbase-options.js";

export const exportToFile = command({
  about:
    "Writes one row per row of the table, with the newest version of each column. The schema states the columns and how their values are stored: FAMILY:QUALIFIER:TYPE(ENCODING). Types: bool, int8, int16, int32, int64, float, double, string, binary. Encodings: bytes (as HBase's Bytes; the default), ordered (OrderedBytes), utf8 (text). The row key is the column row, binary unless the schema states it. Write other bytes of a qualifier as \\xNN.",
  args: { root: ROOT },
  options: {
    ...SOURCE,
    schema: required(text("COLUMNS", 'columns and types, like "row:string,cf:price:double(bytes)"')),
    output: output("FILE", "new file: .parquet, .arrow, .arrows, .csv or .ndjson"),
    to: choice("format of the file", TABLE_FORMS, "by its name"),
    startRow: ROW("first row, inclusive"),
    stopRow: ROW("row at which to end, exclusive"),
    limit: value("N", "maximum number of rows", wholeNumber, "no limit"),
    timeRange: CELLS.timeRange,
    now: CELLS.now,
    recover: RECOVER,
    json: JSON_OPTION,
  },
  examples: [
    [
      "Export two columns as Parquet",
      "cfile hbase export /hbase --snapshot s1 --schema 'cf:price:double,cf:name:string' -o prices.parquet",
    ],
  ],
  run: (context, { schema, output: target, to, startRow, stopRow, limit, timeRange, now, json, ...values }) =>
    withHBaseTable(context, values, async (table) => {
      const { parseColumnSchema, tableColumns } = await import("@cfile/hbase/columns");
      const form = to ?? formOfTarget(target);
      if (form === "rowset") {
        throw new UsageError(
          'unsupported format: rowset (export as Parquet, then use "cfile convert --to rowset")',
        );
      }
      const { signal } = context.io;
      const columns = usage(() => parseColumnSchema(schema));
      const found = tableColumns(table, columns, { startRow, stopRow, limit, timeRange, now, signal });
      let rows = 0;
      const progress = startProgress(context.io, "exporting", 1);
      const counting = observed(found.rows, ({ length }) => {
        rows += length;
      });
      const settings = { form, keyNames: undefined, sortedBy: ["row"] };
      const written = { columns: found.columns, rows: counting };
      const { bytes } = await writeTable(target, written, settings).finally(progress.stop);
      await context.stdout.line(
        json
          ? JSON.stringify({
              path: target,
              rows,
              columns: columns.length,
              bytes,
              losses: lossesJson(table.losses),
            })
          : `${printable(target)}: ${counted(rows, "row")}, ${counted(found.columns.length, "column")}, ${sizeText(bytes)}`,
      );
      await reportLosses(context, table);
    }),
});

/** A mistake in the schema is one of the command line. */
function usage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw isCFileError(error, "E_INVALID_ARGUMENT") ? new UsageError(`--schema: ${error.reason}`) : error;
  }
}

export const splits = command({
  about:
    "Prints a JSON object per region and line: independent parts of a table for parallel work. Pass start_row and stop_row to scan or export as --start-row and --stop-row, unless they are empty.",
  args: { root: ROOT },
  options: SOURCE,
  examples: [["List the parts of a snapshot", "cfile hbase splits /hbase --snapshot s1"]],
  run: (context, values) =>
    withHBaseTable(context, values, async (table) => {
      for (const { encodedName: region, startKey, endKey } of table.regions) {
        context.io.signal?.throwIfAborted();
        const files = await table.files(region);
        const bytes = files.reduce((total, file) => total + file.bytes, 0);
        const line = {
          region,
          start_row: toHex(startKey),
          stop_row: toHex(endKey),
          files: files.length,
          bytes,
        };
        await context.stdout.line(JSON.stringify(line));
      }
    }),
});
