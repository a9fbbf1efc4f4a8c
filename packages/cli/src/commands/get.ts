/** `cfile get`: one value. */
import { writeRowCells } from "../hfile/hfile-cells.js";
import { keyBytes, wholeNumber } from "../options/option-values.js";
import { DECODE, FILE, HEX, JSON_OPTION, SCALE } from "../options/options.js";
import { command } from "../program/command.js";
import { AbsentRowError, UsageError } from "../program/exit-code.js";
import { exclusive, text, value } from "../program/option.js";
import { writeCells } from "../records/cell-writer.js";

export const get = command({
  about: "Exit code 1 when there is no such row or key.",
  args: { file: FILE },
  options: {
    row: value("N", "row number, from 0", wholeNumber),
    key: text("KEY", "key of an HFile; prints all of its cells"),
    hex: HEX,
    json: JSON_OPTION,
    decode: DECODE,
    scale: SCALE,
  },
  examples: [
    ["Print the 13th value as readable text", "cfile get c.cfile --row 12 --decode"],
    ["Print all cells of a key in an HFile", "cfile get keys.hfile --key apple --decode"],
  ],
  run: async (context, { file: path, row, key, hex, json, decode, scale }) => {
    exclusive({ "--row": row, "--key": key });
    if (key !== undefined) {
      const bytes = keyBytes("--key", key, hex);
      const format = json ? "json" : "text";
      return context.withHFile(path, (file) => writeRowCells(context, file, bytes, { format, decode }));
    }
    if (row === undefined) {
      throw new UsageError("missing option: --row, or --key for HFiles");
    }
    await context.withFile(path, async (file) => {
      if (row >= file.rowCount) {
        throw new AbsentRowError(`row ${row} does not exist: the file has ${file.rowCount} rows`, {
          path,
          field: "row",
          actual: row,
        });
      }
      // A scan rather than `get`: a batch keeps the bits of a NaN.
      const batches = file.scan({ rows: { from: row, to: row + 1 }, signal: context.io.signal });
      await writeCells(batches, json ? "ndjson" : "text", { decode, scale }, context.stdout);
    });
  },
});
