/** `cfile find`: a row by its value. */
import { isCFileError } from "@cfile/bytes";
import { cellParser, isText } from "@cfile/cell-text";
import type { CFileReader, SearchValue } from "cfile";
import { writeSeek } from "../hfile/hfile-cells.js";
import { keyBytes } from "../options/option-values.js";
import { FILE, JSON_OPTION, SCALE } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { exclusive, flag, text } from "../program/option.js";

export const find = command({
  about:
    "Prints the first row whose value is equal or greater, and whether it is equal. The column must have a value index. Exit code 1 when all values are smaller.",
  args: { file: FILE },
  options: {
    value: text("VALUE", "number, text, date or timestamp; hexadecimal digits for BINARY"),
    key: text("KEY", "key of an HFile"),
    hex: flag("the value of a STRING or VARCHAR column, or the key, is hexadecimal"),
    scale: SCALE,
    json: JSON_OPTION,
  },
  examples: [
    ["Find a string", "cfile find c.cfile --value apricot"],
    ["Find a negative number", "cfile find c.cfile --value=-5 --json"],
    ["Find a key of an HFile", "cfile find keys.hfile --key apricot"],
  ],
  run: async (context, { file: path, value, key, hex, scale, json }) => {
    exclusive({ "--value": value, "--key": key });
    if (key !== undefined) {
      const row = keyBytes("--key", key, hex);
      return context.withHFile(path, (file) => writeSeek(context, file, row, json));
    }
    if (value === undefined) {
      throw new UsageError("missing option: --value, or --key for HFiles");
    }
    const found = await context.withFile(path, (file) =>
      file.find(searchValue(file, value, hex, scale), { signal: context.io.signal }),
    );
    const line =
      found === undefined
        ? "no row: all values are smaller"
        : `${found.row} ${found.exact ? "exact" : "not exact"}`;
    await context.stdout.line(json ? JSON.stringify(found ?? { row: null, exact: false }) : line);
    context.exitCode = found === undefined ? EXIT.failure : EXIT.ok;
  },
});

function searchValue(
  { type }: CFileReader,
  value: string,
  hex: boolean,
  scale: number | undefined,
): SearchValue {
  if (hex && isText(type)) {
    return keyBytes("--value", value, hex);
  }
  try {
    const cell = cellParser({ type, scale })(value);
    return typeof cell === "boolean" ? Number(cell) : cell;
  } catch (error) {
    throw isCFileError(error) ? new UsageError(`invalid --value: ${error.reason}`) : error;
  }
}
