/** `cfile table verify`: everything that can be wrong with a row set. */
import type { Argv, CommandModule } from "yargs";
import { verifyPaths } from "../../commands/verify.js";
import { COLOR_FLAG, JSON_FLAG } from "../../options/options.js";
import type { CliContext } from "../../program/context.js";
import { makeStyle } from "../../program/styles.js";
import { READ_ROW_SET } from "../row-set-argument.js";

interface VerifyArguments {
  readonly dir: string;
  readonly json: boolean | undefined;
  readonly color: boolean | undefined;
}

export function rowSetVerifyCommand(context: CliContext): CommandModule<object, VerifyArguments> {
  return {
    command: "verify <dir>",
    describe: "check every file, and all of them together; exit code 3 for damage",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", READ_ROW_SET)
        .option("json", JSON_FLAG)
        .option("color", COLOR_FLAG)
        .example("$0 table verify table", "one line when it is sound, else what is wrong and where"),
    handler: ({ dir, json, color }) =>
      verifyPaths(context, [dir], {
        json: json ?? false,
        style: makeStyle(context.io, color),
        isRowSet: true,
      }),
  };
}
