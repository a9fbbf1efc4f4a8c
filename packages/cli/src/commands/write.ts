/** `cfile write`: a CFile for each column of a CSV or NDJSON table. */
import { printable } from "@cfile/cell-text";
import { resolveEncoding } from "@cfile/encodings";
import { shortName } from "../options/names.js";
import { COLUMN_CODING, JSON_OPTION, output, SCHEMA, SYNC, WRITER } from "../options/options.js";
import { command } from "../program/command.js";
import { list } from "../program/option.js";
import { countText, sizeText } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";
import { tableColumns } from "../table/column-options.js";
import { typeText } from "../table/schema.js";
import { INPUT, TABLE_TEXT, TableInput } from "../table/table-input.js";
import { type WrittenColumn, writeTable } from "../table/table-writer.js";
import { textBatches } from "../table/text-batches.js";

export const write = command({
  about:
    "After a failure the directory is as it was. Existing files are replaced when the new ones are complete.",
  args: { input: INPUT },
  options: {
    output: output("DIR", "directory for the new files, NAME.cfile per column"),
    schema: SCHEMA,
    ...COLUMN_CODING,
    ...TABLE_TEXT,
    key: list("COLUMN", "sorted column without nulls that gets a value index; may be repeated"),
    ...WRITER,
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ["Take the types from the values", "cfile write data.csv -o columns"],
    ["Give the types", "cfile write data.csv -o columns --schema 'id:int64,tags:string[]?'"],
    [
      "Choose compression for all columns and an encoding for one",
      "cfile write data.ndjson -o columns --compression lz4 --encoding name=prefix",
    ],
  ],
  run: async (context, values) => {
    const input = new TableInput(context, values);
    const columns = tableColumns(await input.columns(values.schema), values);
    const specs = columns.map(({ spec }) => spec);
    const { path } = input;
    const written = await input.read("writing", (table) =>
      writeTable(textBatches(table, specs, input, context.io.signal), columns, {
        directory: values.output,
        path,
        sync: values.sync,
      }),
    );
    await context.stdout.line((values.json ? writtenJson(written) : writtenLines(written)).join("\n"));
  },
});

function writtenLines(written: readonly WrittenColumn[]): string[] {
  return tableLines(
    [...["column", "type", "encoding"].map(left), ...["rows", "size"].map(right), left("file")],
    written.map(({ column: { spec }, column, rows, bytes, path }) => [
      printable(spec.name),
      typeText(spec),
      shortName(encodingOf(column)),
      countText(rows),
      sizeText(bytes),
      printable(path),
    ]),
    "",
  );
}

function writtenJson(written: readonly WrittenColumn[]): string[] {
  const columns = written.map(({ column, rows, bytes, path }) => {
    const { name, type, nullable, array, scale } = column.spec;
    return { column: name, path, type, nullable, array, scale, encoding: encodingOf(column), rows, bytes };
  });
  return [JSON.stringify(columns)];
}

function encodingOf({ spec, options }: WrittenColumn["column"]) {
  const requested = options.encoding ?? "AUTO_ENCODING";
  return resolveEncoding(spec.type, requested) ?? requested;
}
