/** `cfile table create`: a table store from a CSV or NDJSON table. */
import { printable } from "@cfile/cell-text";
import { fileDirectory } from "@cfile/io/file";
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore } from "@cfile/rowset/store";
import { inNewFolder } from "../../convert/write-table.js";
import { nameList } from "../../options/csv-list.js";
import { requireKeyColumns } from "../../options/given-cell.js";
import { byteSize } from "../../options/option-values.js";
import { COLUMN_CODING, JSON_OPTION, output, SCHEMA, SYNC, TIMESTAMP } from "../../options/options.js";
import { command } from "../../program/command.js";
import type { CliContext } from "../../program/context.js";
import { flag, required, value } from "../../program/option.js";
import { counted, sizeText, sum } from "../../records/quantity.js";
import { type ColumnValues, tableColumns } from "../../table/column-options.js";
import { type ColumnSpec, findColumn, typeText } from "../../table/schema.js";
import { INPUT, TABLE_TEXT, TableInput } from "../../table/table-input.js";
import { textBatches } from "../../table/text-batches.js";

export const create = command({
  about: "The rows may come in any order; sorting them uses temporary files beyond --memory.",
  args: { input: INPUT },
  options: {
    output: output("DIR", "directory of the table store"),
    key: required(value("NAMES", "columns of the primary key, separated by commas", nameList)),
    schema: SCHEMA,
    ...COLUMN_CODING,
    timestamp: TIMESTAMP("when the rows were inserted", "before all times"),
    ...TABLE_TEXT,
    sorted: flag("the rows are already sorted by key"),
    memory: value("SIZE", "memory for sorting, like 64M", byteSize, "256M"),
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ["Take the types from the values", "cfile table create data.csv -o table --key id"],
    [
      "Give the types",
      "cfile table create rain.ndjson -o rain --key day,city --schema 'day:date,city:string,mm:double?'",
    ],
    [
      "Give the time of insertion",
      "cfile table create data.csv -o table --key id --timestamp 2024-02-29T12:00:00Z",
    ],
  ],
  run: async (context, values) => {
    const { key, output, sync, timestamp, memory, sorted, encoding, compression } = values;
    const input = new TableInput(context, values);
    const specs = keyFirst(await input.columns(values.schema), key);
    const schema = schemaOf(specs, key.length, { encoding, compression });
    await inNewFolder(output, async () => {
      const options = { timestamp, memoryBytes: memory, sorted };
      await using writer = await createTableStore(await fileDirectory(output, { sync }), schema, options);
      await input.read("writing", async (table) => {
        for await (const { columns } of textBatches(table, specs, input, context.io.signal)) {
          await writer.append(columns);
        }
      });
      await writer.finish();
    });
    await context.stdout.line(await summary(context, output, specs, key.length, values.json));
  },
});

/** The columns of the key first, in the key's order. */
function keyFirst(specs: readonly ColumnSpec[], keys: readonly string[]): ColumnSpec[] {
  const keyColumns = keys.map((name) => findColumn("--key", name, specs));
  requireKeyColumns("--key", keyColumns);
  return [...keyColumns, ...specs.filter(({ name }) => !keys.includes(name))];
}

function schemaOf(specs: readonly ColumnSpec[], keyCount: number, values: ColumnValues): RowSetSchema {
  return {
    columns: tableColumns(specs, values).map(({ spec, options }, i) => ({
      id: i + 1,
      name: spec.name,
      type: spec.type,
      nullable: spec.nullable,
      array: spec.array,
      isKey: i < keyCount,
      encoding: options.encoding,
      compression: options.compression,
      blockSize: options.blockSize,
      scale: spec.scale,
    })),
  };
}

function summary(
  context: CliContext,
  path: string,
  specs: readonly ColumnSpec[],
  keyCount: number,
  json: boolean,
): Promise<string> {
  return context.withTableStore(path, async ({ rowSets, files }) => {
    const all = files.flat();
    const rows = sum(rowSets.map(({ rowCount }) => rowCount));
    const bytes = sum(all.map((file) => file.bytes));
    if (json) {
      const columns = specs.map(({ name, type, nullable, array, scale }, i) => {
        return { column: name, type, nullable, array, scale, key: i < keyCount };
      });
      return JSON.stringify({ path, rows, files: all.length, bytes, columns });
    }
    return [
      `${printable(path)}: ${counted(rows, "row")}, ${counted(all.length, "file")}, ${sizeText(bytes)}`,
      ...specs.map((spec, i) => `  ${printable(spec.name)} ${typeText(spec)}${i < keyCount ? " key" : ""}`),
    ].join("\n");
  });
}
