/** `cfile find`: a row by its value. */

import { CFileError, fromHex } from "@cfile/bytes";
import { cellParser, isText, type ParsedCell } from "@cfile/cell-text";
import type { CFileReader, SearchValue } from "cfile";
import type { Argv, CommandModule } from "yargs";
import { writeSeek } from "../hfile/hfile-cells.js";
import { keyBytes } from "../options/option-values.js";
import { FILE, JSON_FLAG, scaleOf } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT, UsageError } from "../program/exit-code.js";

interface FindArguments {
  readonly file: string;
  readonly value: string | undefined;
  readonly key: string | undefined;
  readonly hex: boolean | undefined;
  readonly scale: string | undefined;
  readonly json: boolean | undefined;
}

export function findCommand(context: CliContext): CommandModule<object, FindArguments> {
  return {
    command: "find <file>",
    describe: "the first row at or after a value, through the value index; exit code 1 when there is none",
    builder: (yargs: Argv) =>
      yargs
        .positional("file", FILE)
        .option("value", {
          type: "string",
          requiresArg: true,
          describe: "number, text, date, timestamp; hex digits for BINARY",
        })
        .option("key", { type: "string", requiresArg: true, describe: "key of an HFile, as text" })
        .conflicts("value", "key")
        .option("hex", {
          type: "boolean",
          describe: "the value of a STRING or VARCHAR column, or the key, is hex digits",
        })
        .option("scale", {
          type: "string",
          requiresArg: true,
          describe: "digits after the point of decimals",
        })
        .option("json", JSON_FLAG)
        .example("$0 find c.cfile --value apricot", "its row, and whether the value is exactly this one")
        .example("$0 find keys.hfile --key apricot", "where a key of an HFile stands, or would stand")
        .example("$0 find c.cfile --value=-5 --json", 'as {"row":12,"exact":true}'),
    handler: async (args) => {
      const { key, value } = args;
      if (key !== undefined) {
        const row = keyBytes("--key", key, args.hex);
        await context.withHFile(args.file, (file) => writeSeek(context, file, row, args.json ?? false));
        return;
      }
      if (value === undefined) {
        throw new UsageError("--value is expected, or --key for HFiles");
      }
      const scale = scaleOf(args.scale);
      const found = await context.withFile(args.file, (file) =>
        file.find(searchValue(file, value, args.hex, scale), { signal: context.io.signal }),
      );
      if (args.json) {
        await context.stdout.line(JSON.stringify(found ?? { row: null, exact: false }));
      } else {
        await context.stdout.line(
          found === undefined
            ? "no row: all values are before this one"
            : `${found.row} ${found.exact ? "exact" : "not exact"}`,
        );
      }
      context.exitCode = found === undefined ? EXIT.failure : EXIT.ok;
    },
  };
}

function searchValue(
  file: CFileReader,
  value: string,
  hex: boolean | undefined,
  scale: number | undefined,
): SearchValue {
  if (hex && isText(file.type)) {
    if (!/^(?:[0-9a-f]{2})*$/i.test(value)) {
      throw new UsageError(`--value takes pairs of hexadecimal digits with --hex; "${value}" is none`);
    }
    return fromHex(value);
  }
  const cell = parsed(file, value, scale);
  return typeof cell === "boolean" ? Number(cell) : cell;
}

function parsed(file: CFileReader, value: string, scale: number | undefined): ParsedCell {
  try {
    return cellParser({ type: file.type, scale })(value);
  } catch (error) {
    throw error instanceof CFileError ? new UsageError(`--value: ${error.reason}`) : error;
  }
}
