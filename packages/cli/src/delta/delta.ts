/** `cfile delta`: the changes in delta files. */
import { changeTypeName } from "@cfile/deltafile";
import { timeRange } from "../options/hybrid-time.js";
import { FROM, RECORD_FORMATS, ROWS, TO } from "../options/options.js";
import { command } from "../program/command.js";
import { required, text } from "../program/option.js";
import { literalCells, textCells, timeCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { left, right } from "../records/table.js";
import { changeCells } from "./delta-changes.js";
import { givenDeltaSchema } from "./delta-schema.js";

const FIELDS = [right("row"), right("timestamp"), left("utc"), left("type"), left("changes")];

export const cat = command({
  about:
    "Prints row, timestamp, type and changed columns of each change. Delta files identify columns by id.",
  args: { file: required(text("FILE", "delta file: path or URL")) },
  options: {
    schema: text(
      "COLUMNS",
      'columns as ID:NAME:TYPE, like "11:price:int64", a .json file, or the rowset.json of a table store',
      "values in hexadecimal",
    ),
    rows: ROWS,
    from: FROM,
    to: TO,
    ...RECORD_FORMATS,
  },
  examples: [
    ["Decode the changes", "cfile delta cat redo.cfile --schema 11:price:int64,12:note:string?"],
    ["Print some of the changes", "cfile delta cat redo.cfile --rows 0:10 --from 2024-02-29T00:00:00Z"],
  ],
  run: async (context, { file: path, schema, rows, ...values }) => {
    const columns = schema === undefined ? [] : await givenDeltaSchema(context, schema);
    const options = { rows, timestamps: timeRange(values), signal: context.io.signal };
    const byId = new Map(columns.map((column) => [column.id, column]));
    const writer = new RecordWriter(context.stdout, FIELDS, values);
    await context.withDeltaFile(path, async (file) => {
      for await (const batch of file.entries(options)) {
        await writer.write(batch.length, [
          literalCells(Array.from(batch.rows, String)),
          ...timeCells(Array.from(batch.timestamps)),
          textCells(Array.from(batch.types, (type) => changeTypeName(type) ?? String(type))),
          changeCells(batch, byId),
        ]);
      }
      await writer.finish();
    });
  },
});
