/** `cfile table history`: all versions of rows. */
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn, RowVersion } from "@cfile/rowset";
import { givenKeyParser } from "../../options/given-cell.js";
import { COLUMNS, KEYS, READ_TABLE_STORE, RECORD_FORMATS } from "../../options/options.js";
import { command } from "../../program/command.js";
import { EXIT } from "../../program/exit-code.js";
import { required } from "../../program/option.js";
import {
  cellsWhere,
  columnCells,
  type FieldCells,
  literalCells,
  timeCells,
} from "../../records/field-cells.js";
import { RecordWriter } from "../../records/record-writer.js";
import { columnField, selectedColumns } from "../../records/row-cells.js";
import { left, right } from "../../records/table.js";
import { absentKey } from "./get.js";

const VERSION_FIELDS = [right("timestamp"), left("utc"), left("deleted")];

export const history = command({
  about: "Versions are printed oldest first. Exit code 1 when a key never existed.",
  args: { dir: READ_TABLE_STORE, keys: required(KEYS) },
  options: { columns: COLUMNS, ...RECORD_FORMATS },
  examples: [["Print when a row was inserted, changed and deleted", "cfile table history table 17"]],
  run: (context, { dir, keys: texts, ...values }) =>
    context.withTable(dir, async (table) => {
      const { columns: all } = table.schema;
      const keyColumns = all.filter(({ isKey }) => isKey);
      const selected = selectedColumns(all, values.columns);
      // The key identifies the row of each version.
      const columns = [...keyColumns, ...selected.filter(({ isKey }) => !isKey)];
      const keys = texts.map(givenKeyParser(keyColumns));
      const fields = [...VERSION_FIELDS, ...columns.map(columnField)];
      const writer = new RecordWriter(context.stdout, fields, values);
      let found = 0;
      for (const [i, key] of keys.entries()) {
        const versions = await table.history(key, {
          columns: columns.map(({ name }) => name),
          strings: "bytes",
          signal: context.io.signal,
        });
        if (versions.length === 0) {
          await context.reportError(absentKey(dir, texts[i] ?? ""));
          context.exitCode = EXIT.failure;
        }
        found += versions.length;
        await writer.write(versions.length, versionCells(columns, key, versions));
      }
      if (found > 0 || writer.format !== "table") {
        await writer.finish();
      }
    }),
});

function versionCells(
  columns: readonly RowSetColumn[],
  key: readonly CellValue[],
  versions: readonly RowVersion[],
): FieldCells[] {
  const isLive = versions.map(({ deleted }) => !deleted);
  return [
    ...timeCells(versions.map(({ timestamp }) => timestamp)),
    literalCells(versions.map(({ deleted }) => String(deleted))),
    ...columns.map((column, i) => {
      // A deleted version still has its key.
      const cells = versions.map(({ deleted, cells }) => (deleted ? key[i] : cells[i]) ?? null);
      const batch = batchFromValues({ ...column, nullable: true }, cells);
      const texts = columnCells(batch, { decode: true, scale: column.scale });
      return column.isKey ? texts : cellsWhere(texts, isLive);
    }),
  ];
}
