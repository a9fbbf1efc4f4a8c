/** `cfile rowset`: tables as row sets, with their history. */
import type { CommandModule } from "yargs";
import { commandGroup } from "../command-group.js";
import type { CliContext } from "../context.js";
import { changesCommand } from "./rowset/changes.js";
import { compactCommand } from "./rowset/compact.js";
import { createCommand } from "./rowset/create.js";
import { rowSetGetCommand } from "./rowset/get.js";
import { historyCommand } from "./rowset/history.js";
import { rowSetScanCommand } from "./rowset/scan.js";
import { updateCommand } from "./rowset/update.js";
import { rowSetVerifyCommand } from "./rowset/verify.js";

export function rowsetCommand(context: CliContext): CommandModule {
  return commandGroup(
    "rowset",
    "row sets: tables in a folder, with a key, changes and their history",
    (group) =>
      group
        .command(createCommand(context))
        .command(rowSetScanCommand(context))
        .command(rowSetGetCommand(context))
        .command(updateCommand(context))
        .command(historyCommand(context))
        .command(changesCommand(context))
        .command(compactCommand(context))
        .command(rowSetVerifyCommand(context)),
    ["$0 rowset create table.csv -o table --key id", "a table with a key"],
  );
}
