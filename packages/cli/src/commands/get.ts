/** `cfile get`: one value. */
import { CFileError } from "cfile";
import type { Argv, CommandModule } from "yargs";
import { writeLines } from "../cell-writer.js";
import type { CliContext } from "../context.js";
import { wholeNumber } from "../option-values.js";
import { DECODE_FLAGS, FILE, JSON_FLAG, scaleOf } from "../options.js";

interface GetArguments {
  readonly file: string;
  readonly row: string;
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
          demandOption: true,
          describe: "row number from 0",
        })
        .option("json", JSON_FLAG)
        .options(DECODE_FLAGS)
        .example("$0 get c.cfile --row 12 --decode", "the thirteenth value as readable text"),
    handler: async (args) => {
      const row = wholeNumber("--row", args.row);
      const options = { decode: args.decode ?? false, scale: scaleOf(args.scale) };
      await context.withFile(args.file, async (file) => {
        if (row >= file.rowCount) {
          throw new CFileError("E_NOT_FOUND", `row ${row} is not in a file of ${file.rowCount} rows`, {
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
