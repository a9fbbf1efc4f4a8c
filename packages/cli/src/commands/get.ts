/** `cfile get`: one value. */
import type { Argv, CommandModule } from "yargs";
import { writeRowCells } from "../hfile/hfile-cells.js";
import { keyBytes, wholeNumber } from "../options/option-values.js";
import { DECODE_FLAGS, FILE, JSON_FLAG, scaleOf } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { AbsentRowError, UsageError } from "../program/exit-code.js";
import { writeLines } from "../records/cell-writer.js";

interface GetArguments {
  readonly file: string;
  readonly row: string | undefined;
  readonly key: string | undefined;
  readonly hex: boolean | undefined;
  readonly json: boolean | undefined;
  readonly decode: boolean | undefined;
  readonly scale: string | undefined;
}

export function getCommand(context: CliContext): CommandModule<object, GetArguments> {
  return {
    command: "get <file>",
    describe: "write the value of one row",
    builder: (yargs: Argv) =>
      yargs
        .positional("file", FILE)
        .option("row", {
          type: "string",
          requiresArg: true,
          describe: "row number from 0",
        })
        .option("key", { type: "string", requiresArg: true, describe: "key of an HFile, as text" })
        .option("hex", { type: "boolean", describe: "the key is hex digits" })
        .conflicts("row", "key")
        .option("json", JSON_FLAG)
        .options(DECODE_FLAGS)
        .example("$0 get keys.hfile --key apple --decode", "all cells of a key in an HFile")
        .example("$0 get c.cfile --row 12 --decode", "the thirteenth value as readable text"),
    handler: async (args) => {
      const options = { decode: args.decode ?? false, scale: scaleOf(args.scale) };
      if (args.key !== undefined) {
        const key = keyBytes("--key", args.key, args.hex);
        const output = { format: args.json ? "json" : "text", decode: options.decode } as const;
        await context.withHFile(args.file, (file) => writeRowCells(context, file, key, output));
        return;
      }
      if (args.row === undefined) {
        throw new UsageError("--row is expected, or --key for HFiles");
      }
      const row = wholeNumber("--row", args.row);
      await context.withFile(args.file, async (file) => {
        if (row >= file.rowCount) {
          throw new AbsentRowError(`row ${row} is not in a file of ${file.rowCount} rows`, {
            path: args.file,
            field: "row",
            actual: row,
          });
        }
        // A scan rather than `get`: a batch keeps the bits of a NaN.
        const batches = file.scan({ rows: { from: row, to: row + 1 }, signal: context.io.signal });
        await writeLines(batches, args.json ? "ndjson" : "text", options, context.stdout);
      });
    },
  };
}
