/** `cfile cat` and `cfile head`: the values of a file. */
import { fileKind } from "../files/file-kind.js";
import { writeHFileCells } from "../hfile/hfile-cells.js";
import { wholeNumber } from "../options/option-values.js";
import { CELL_FORMATS, type CellFormat, DECODE, FILE, formatOf, ROWS, SCALE } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { type Values, value, withDefault, withShort } from "../program/option.js";
import { writeCells } from "../records/cell-writer.js";

const ABOUT =
  "Without --decode, values are printed as stored: strings and binaries in hexadecimal, dates as days, timestamps as microseconds, floats as bits. Of an HFile, each line is a cell.";

const OPTIONS = { ...CELL_FORMATS, decode: DECODE, scale: SCALE };

export const cat = command({
  about: ABOUT,
  args: { file: FILE },
  options: { rows: ROWS, ...OPTIONS },
  examples: [
    ["Print readable text", "cfile cat c.cfile --decode"],
    ["Print the exact values of 100 rows as a JSON array", "cfile cat c.cfile --rows 100:200 --json"],
    ["Print the cells of an HFile", "cfile cat keys.hfile --format ndjson"],
  ],
  run: (context, values) => writeRows(context, values, values.rows ?? {}),
});

export const head = command({
  about: ABOUT,
  args: { file: FILE },
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
  if ((await fileKind(context.sources, path, signal)) === "hfile") {
    await context.withHFile(path, (file) => writeHFileCells(context, file, rows, { format, decode }));
    return;
  }
  await context.withFile(path, (file) =>
    writeCells(file.scan({ rows, signal, batchRows: 8192 }), format, { decode, scale }, context.stdout),
  );
}
