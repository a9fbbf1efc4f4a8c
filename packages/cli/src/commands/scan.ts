/** `cfile scan`: rows of a row set or a column that fulfil conditions. */
import type { Argv, CommandModule } from "yargs";
import { scanFile } from "../files/file-scan.js";
import { givenKeyRangeFlag, KEY_RANGE_FLAGS, type KeyRangeFlags } from "../options/key-range.js";
import { RECORD_CONFLICTS, RECORD_FLAGS } from "../options/record-format.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { rowSetFolder } from "../table-store/row-set-path.js";
import { AS_OF, SCAN_FLAGS, type ScanFlags, scanRowSet } from "../table-store/row-set-scan.js";

interface ScanArguments extends ScanFlags, KeyRangeFlags {
  readonly path: string;
  readonly asOf?: string | undefined;
  readonly scale?: string | undefined;
}

export function scanCommand(context: CliContext): CommandModule<object, ScanArguments> {
  return {
    command: "scan <path>",
    describe: "the rows of a row set, or of a column, that fulfil conditions",
    builder: (yargs: Argv) =>
      yargs
        .positional("path", {
          type: "string",
          demandOption: true,
          describe: "the folder of a row set, or a column as path or URL, whose columns are row and value",
        })
        .options(SCAN_FLAGS)
        .options(KEY_RANGE_FLAGS)
        .option("as-of", AS_OF)
        .option("scale", {
          type: "string",
          requiresArg: true,
          describe: "of a column of decimals: digits after the point",
        })
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .example("$0 scan table/ --where \"state = 'TX'\" --columns name,city", "a row set")
        .example("$0 scan price.cfile --where 'value > 9.99' --scale 2 --limit 5", "a column"),
    handler: async (args) => {
      const folder = await rowSetFolder(args.path);
      if (folder === undefined) {
        const keyFlag = givenKeyRangeFlag(args);
        if (keyFlag !== undefined) {
          throw new UsageError(`${keyFlag} is for row sets: a column has no key`);
        }
        if (args.asOf !== undefined) {
          throw new UsageError("--as-of is for row sets: a column has one state only");
        }
        return context.withFile(args.path, (file) => scanFile(context, file, args));
      }
      if (args.scale !== undefined) {
        throw new UsageError("--scale is for columns: a row set knows the scales of its own");
      }
      return context.withRowSet(folder, (rowSet) => scanRowSet(context, rowSet, args));
    },
  };
}
