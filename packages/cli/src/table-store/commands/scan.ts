/** `cfile table scan`: the rows that fulfil conditions. */
import type { Argv, CommandModule } from "yargs";
import { KEY_RANGE_FLAGS, type KeyRangeFlags } from "../../options/key-range.js";
import { RECORD_CONFLICTS, RECORD_FLAGS } from "../../options/record-format.js";
import type { CliContext } from "../../program/context.js";
import { READ_ROW_SET } from "../row-set-argument.js";
import { AS_OF, SCAN_FLAGS, type ScanFlags, scanRowSet } from "../row-set-scan.js";

interface ScanArguments extends ScanFlags, KeyRangeFlags {
  readonly dir: string;
  readonly asOf?: string | undefined;
}

export function rowSetScanCommand(context: CliContext): CommandModule<object, ScanArguments> {
  return {
    command: "scan <dir>",
    describe: "the rows in key order, now or at any time",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", READ_ROW_SET)
        .options(SCAN_FLAGS)
        .options(KEY_RANGE_FLAGS)
        .option("as-of", AS_OF)
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .example("$0 table scan table --where \"city prefix 'New'\" --columns id,city", "")
        .example("$0 table scan table --from-key TX,AUS --to-key VT", "a range of keys")
        .example("$0 table scan roles.json --format ndjson", "row sets of a Kudu server")
        .example("$0 table scan table --as-of 2024-02-29T12:00:00Z --format csv", "as it was"),
    handler: (args) => context.withTable(args.dir, (rowSet) => scanRowSet(context, rowSet, args)),
  };
}
