/** `cfile table verify`: checks the files of a table for damage. */
import { verifyPaths } from "../../commands/verify.js";
import { COLOR, JSON_OPTION, READ_TABLE_STORE } from "../../options/options.js";
import { command } from "../../program/command.js";
import { makeStyle } from "../../program/output/styles.js";

export const verify = command({
  about:
    "Checks each file, and that the files agree with each other. Exit code 3 when one is damaged or missing.",
  args: { dir: READ_TABLE_STORE },
  options: { json: JSON_OPTION, color: COLOR },
  examples: [["Check a table store", "cfile table verify table"]],
  run: (context, { dir, json, color }) =>
    verifyPaths(context, [dir], { json, style: makeStyle(context.io, color), isTable: true }),
});
