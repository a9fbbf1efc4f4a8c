/** `cfile table get`: rows by their keys. */
import type { CellValue } from "@cfile/encodings";
import { givenKeyParser } from "../../options/given-cell.js";
import { AS_OF, COLUMNS, KEYS, READ_TABLE_STORE, RECORD_FORMATS } from "../../options/options.js";
import { command } from "../../program/command.js";
import { AbsentRowError, EXIT } from "../../program/exit-code.js";
import { required } from "../../program/option.js";
import { RecordWriter } from "../../records/record-writer.js";
import { columnField, rowCells, selectedColumns } from "../../records/row-cells.js";

export const get = command({
  about: "Exit code 1 when a key does not exist.",
  args: { dir: READ_TABLE_STORE, keys: required(KEYS) },
  options: { columns: COLUMNS, asOf: AS_OF, ...RECORD_FORMATS },
  examples: [
    ["Print two rows", "cfile table get table 17 18"],
    [
      "Read a snapshot by a key of two columns",
      "cfile table get table 2024-02-29,apple --as-of 2024-03-01T00:00:00Z",
    ],
  ],
  run: (context, { dir, keys: texts, asOf, ...values }) =>
    context.withTable(dir, async (table) => {
      const { columns: all } = table.schema;
      const columns = selectedColumns(all, values.columns);
      const options = {
        columns: columns.map(({ name }) => name),
        asOf,
        // Text stays bytes until it is printed, as it may not be valid UTF-8.
        strings: "bytes",
        signal: context.io.signal,
      } as const;
      const keys = texts.map(givenKeyParser(all.filter(({ isKey }) => isKey)));
      const rows: (readonly CellValue[])[] = [];
      for (const [i, key] of keys.entries()) {
        const row = await table.get(key, options);
        if (row === undefined) {
          await context.reportError(absentKey(dir, texts[i] ?? ""));
          context.exitCode = EXIT.failure;
        } else {
          rows.push(row.cells);
        }
      }
      const writer = new RecordWriter(context.stdout, columns.map(columnField), values);
      if (rows.length > 0 || writer.format !== "table") {
        await writer.write(rows.length, rowCells(columns, rows));
        await writer.finish();
      }
    }),
});

/** The error for a key without a row. */
export function absentKey(path: string, key: string): AbsentRowError {
  return new AbsentRowError(`no row has the key ${key}`, { path, field: "key", actual: key });
}
