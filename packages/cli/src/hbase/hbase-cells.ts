/** `cfile hbase scan` and `cfile hbase get`: cells as a client of HBase sees them. */
import { toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { CellOptions, TableCells } from "@cfile/hbase";
import { CELL_TYPES } from "@cfile/hfile";
import { wholeNumber } from "../options/option-values.js";
import { CELL_FORMATS, type CellFormat, type FormatValues, formatOf } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { list, type Option, value } from "../program/option.js";
import { LineWriter } from "../records/line-writer.js";
import { reportLosses } from "./hbase-losses.js";
import {
  CELLS,
  type CellValues,
  hexBytes,
  RAW,
  RECOVER,
  ROOT,
  ROW,
  SOURCE,
  withHBaseTable,
} from "./hbase-options.js";

const JSON_FORM =
  "JSON has an array per cell: row, family, qualifier, timestamp, type code and value; rows, qualifiers and values are hexadecimal.";

const ROWS: Option<readonly Uint8Array[]> = {
  ...list("HEX", "row; may be repeated"),
  isRequired: true,
  read: (name, given) => {
    if (given.length === 0) {
      throw new UsageError(`missing option: ${name}`);
    }
    return given.map((one) => hexBytes(name, String(one)));
  },
};

export const scan = command({
  about: `Prints cells in the order of HBase's client. ${JSON_FORM}`,
  args: { root: ROOT },
  options: {
    ...SOURCE,
    startRow: ROW("first row, inclusive"),
    stopRow: ROW("row at which to end, exclusive"),
    limit: value("N", "maximum number of rows", wholeNumber, "no limit"),
    ...CELLS,
    raw: RAW,
    recover: RECOVER,
    ...CELL_FORMATS,
  },
  examples: [
    ["Print the newest version of each cell", "cfile hbase scan /hbase --table users"],
    [
      "Print all versions of a snapshot as JSON",
      "cfile hbase scan /hbase --snapshot s1 --versions all --json",
    ],
  ],
  run: async (context, values) => {
    const { startRow, stopRow, limit } = values;
    const format = cellFormat(values);
    await withHBaseTable(context, values, async (table) => {
      const options = { ...cellOptions(context, values), raw: values.raw, startRow, stopRow, limit };
      const lines = new LineWriter(context.stdout, format === "json");
      for await (const cells of table.scan(options)) {
        await lines.write(cellLines(cells, format));
      }
      await lines.end();
      await reportLosses(context, table.losses);
    });
  },
});

export const get = command({
  about: `Prints the cells of rows, in the order of the rows. ${JSON_FORM}`,
  args: { root: ROOT },
  options: { ...SOURCE, row: ROWS, ...CELLS, ...CELL_FORMATS },
  examples: [["Print a row as JSON", "cfile hbase get /hbase --table users --row 75736572303031 --json"]],
  run: async (context, values) => {
    const format = cellFormat(values);
    await withHBaseTable(context, values, async (table) => {
      const lines = new LineWriter(context.stdout, format === "json");
      for (const cells of await table.getMany(values.row, cellOptions(context, values))) {
        await lines.write(cellLines(cells, format));
      }
      await lines.end();
    });
  },
});

/** @throws UsageError for CSV */
function cellFormat(values: FormatValues<CellFormat>): CellFormat {
  const format = formatOf<CellFormat>(values, "text");
  if (format === "csv") {
    throw new UsageError('unsupported format for cells: csv (use "cfile hbase export" for columns as CSV)');
  }
  return format;
}

function cellOptions({ io }: CliContext, values: CellValues): CellOptions {
  const { families, columns, versions, timeRange, now } = values;
  return { families, columns, versions, timeRange, now, signal: io.signal };
}

function cellLines(cells: TableCells, format: CellFormat): string[] {
  const line = format === "text" ? cellText : cellJson;
  return Array.from({ length: cells.length }, (_, i) => line(cells, i));
}

/** The timestamp may exceed what a number holds exactly. */
function cellJson(cells: TableCells, i: number): string {
  const family = JSON.stringify(cells.family(i));
  return `["${toHex(cells.row(i))}",${family},"${toHex(cells.qualifier(i))}",${cells.timestamp(i)},${cells.type(i)},"${toHex(cells.value(i))}"]`;
}

function cellText(cells: TableCells, i: number): string {
  const text = (bytes: Uint8Array): string => printable(new TextDecoder().decode(bytes));
  const type = cells.type(i);
  const parts = [
    text(cells.row(i)),
    `${printable(cells.family(i))}:${text(cells.qualifier(i))}`,
    String(cells.timestamp(i)),
    ...(CELL_TYPES[type] === "Put" ? [] : [CELL_TYPES[type] ?? String(type)]),
    text(cells.value(i)),
  ];
  return parts.join("\t");
}
