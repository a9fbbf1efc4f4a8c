/** `cfile cat` and `cfile head`: the values of a file. */
import { fileKind } from "../files/file-kind.js";
import { writeHFileCells } from "../hfile/hfile-cells.js";
import { wholeNumber } from "../options/option-values.js";
import { CELL_FORMATS, type CellFormat, DECODE, formatOf, ROWS, SCALE } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { required, text, type Values, value, withDefault, withShort } from "../program/option.js";
import { writeCells } from "../records/cell-writer.js";

const ABOUT =
  "Without --decode, values are printed as stored: strings and binaries in hexadecimal, dates as days, timestamps as microseconds, floats as bits. Of an HFile, each line is a cell; of a Parquet file, a row.";

const SOURCE = required(text("FILE", "CFile, HFile or Parquet file: path or URL"));
const OPTIONS = { ...CELL_FORMATS, decode: DECODE, scale: SCALE };

export const cat = command({
  about: ABOUT,
  args: { file: SOURCE },
  options: { rows: ROWS, ...OPTIONS },
  examples: [
    ["Print readable text", "cfile cat c.cfile --decode"],
    ["Print the exact values of 100 rows as a JSON array", "cfile cat c.cfile --rows 100:200 --json"],
    ["Print the cells of an HFile", "cfile cat keys.hfile --format ndjson"],
    ["Print the rows of a Parquet file", "cfile cat table.parquet --decode --ndjson"],
  ],
  run: (context, values) => writeRows(context, values, values.rows ?? {}),
});

export const head = command({
  about: ABOUT,
  args: { file: SOURCE },
  options: {
    count: withShort("n", withDefault(value("N", "number of values", wholeNumber), "10")),
    ...OPTIONS,
  },
  examples: [["Print the first three values as readable text", "cfile head -n 3 c.cfile --decode"]],
  run: (context, values) => writeRows(context, values, { to: values.count }),
});

async function writeRows(
  context: CliContext,
  values: Values<typeof OPTIONS> & { readonly file: string },
  rows: { from?: number; to?: number },
): Promise<void> {
  const { file: path, decode, scale } = values;
  const { signal } = context.io;
  const format = formatOf<CellFormat>(values, "text");
  const kind = await fileKind(context.sources, path, signal);
  if (kind === "hfile") {
    await context.withHFile(path, (file) => writeHFileCells(context, file, rows, { format, decode }));
    return;
  }
  if (kind === "parquet") {
    if (scale !== undefined) {
      throw new UsageError("--scale does not apply to Parquet files: they store the scale of their columns");
    }
    const { writeParquetRows } = await import("../parquet/parquet-rows.js");
    const records = format === "text" ? "table" : format;
    await writeParquetRows(context, path, { from: rows.from, limit: rows.to, format: records, decode });
    return;
  }
  await context.withFile(path, (file) =>
    writeCells(file.scan({ rows, signal, batchRows: 8192 }), format, { decode, scale }, context.stdout),
  );
}
