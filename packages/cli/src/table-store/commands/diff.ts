/** `cfile table diff`: the rows that changed between two times. */
import { timeRange } from "../../options/hybrid-time.js";
import { COLUMNS, FROM, READ_TABLE_STORE, RECORD_FORMATS, TO } from "../../options/options.js";
import { command } from "../../program/command.js";
import { required } from "../../program/option.js";
import { literalCells, timeCells } from "../../records/field-cells.js";
import { RecordWriter } from "../../records/record-writer.js";
import { batchCells, columnField, selectedColumns } from "../../records/row-cells.js";
import { left, right } from "../../records/table.js";

const DIFF_FIELDS = [right("changed_at"), left("utc"), left("deleted")];

export const diff = command({
  about: "Each row is printed as it is at the end of the range, deleted rows as they were.",
  args: { dir: READ_TABLE_STORE },
  options: {
    from: required(FROM),
    to: { ...TO, preset: "after the last change" },
    columns: COLUMNS,
    ...RECORD_FORMATS,
  },
  examples: [
    [
      "Print the changes of a month",
      "cfile table diff table --from 2024-02-01T00:00Z --to 2024-03-01T00:00Z",
    ],
  ],
  run: (context, { dir, ...values }) =>
    context.withTable(dir, async (table) => {
      const { from = 0n, to } = timeRange(values);
      const columns = selectedColumns(table.schema.columns, values.columns);
      const fields = [...DIFF_FIELDS, ...columns.map(columnField)];
      const writer = new RecordWriter(context.stdout, fields, values);
      const options = { columns: columns.map(({ name }) => name), signal: context.io.signal };
      for await (const batch of table.diff(from, to, options)) {
        await writer.write(batch.length, [
          ...timeCells(Array.from(batch.changedAt)),
          literalCells(Array.from(batch.deleted, (mark) => String(mark === 1))),
          ...batchCells(columns, batch),
        ]);
      }
      await writer.finish();
    }),
});
