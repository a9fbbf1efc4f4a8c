/** `cfile rowset`: tables as row sets, with their history. */
import type { CommandModule } from "yargs";
import { commandGroup } from "../program/command-group.js";
import type { CliContext } from "../program/context.js";
import { changesCommand } from "./commands/changes.js";
import { compactCommand } from "./commands/compact.js";
import { createCommand } from "./commands/create.js";
import { rowSetGetCommand } from "./commands/get.js";
import { historyCommand } from "./commands/history.js";
import { rowSetScanCommand } from "./commands/scan.js";
import { updateCommand } from "./commands/update.js";
import { rowSetVerifyCommand } from "./commands/verify.js";

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
