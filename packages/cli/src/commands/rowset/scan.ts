/** `cfile rowset scan`: the rows that fulfil conditions. */
import type { Argv, CommandModule } from "yargs";
import type { CliContext } from "../../context.js";
import { RECORD_CONFLICTS, RECORD_FLAGS } from "../../record-format.js";
import { ROW_SET } from "../../row-set-argument.js";
import { requiredRowSetFolder } from "../../row-set-path.js";
import { AS_OF, SCAN_FLAGS, type ScanFlags, scanRowSet } from "../../row-set-scan.js";

interface ScanArguments extends ScanFlags {
  readonly dir: string;
  readonly asOf?: string | undefined;
}

export function rowSetScanCommand(context: CliContext): CommandModule<object, ScanArguments> {
  return {
    command: "scan <dir>",
    describe: "the rows in key order, now or at any time",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", ROW_SET)
        .options(SCAN_FLAGS)
        .option("as-of", AS_OF)
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .example("$0 rowset scan table --where \"city prefix 'New'\" --columns id,city", "")
        .example("$0 rowset scan table --as-of 2024-02-29T12:00:00Z --format csv", "as it was"),
    handler: async (args) =>
      context.withRowSet(await requiredRowSetFolder(args.dir), (rowSet) => scanRowSet(context, rowSet, args)),
  };
}
