/** `cfile table`: table stores, which are tables in a folder with a key and their history. */
import type { CommandModule } from "yargs";
import { commandGroup } from "../program/command-group.js";
import type { CliContext } from "../program/context.js";
import { compactCommand } from "./commands/compact.js";
import { createCommand } from "./commands/create.js";
import { diffCommand } from "./commands/diff.js";
import { rowSetGetCommand } from "./commands/get.js";
import { historyCommand } from "./commands/history.js";
import { rowSetScanCommand } from "./commands/scan.js";
import { updateCommand } from "./commands/update.js";
import { rowSetVerifyCommand } from "./commands/verify.js";

export function tableStoreCommand(context: CliContext): CommandModule {
  const group = commandGroup(
    "table",
    "work with table stores: tables in a folder, with a key and their history",
    (group) =>
      group
        .command(createCommand(context))
        .command(rowSetScanCommand(context))
        .command(rowSetGetCommand(context))
        .command(updateCommand(context))
        .command(historyCommand(context))
        .command(diffCommand(context))
        .command(compactCommand(context))
        .command(rowSetVerifyCommand(context)),
    ["$0 table create table.csv -o table --key id", "a table with a key"],
  );
  return { ...group, aliases: ["rowset"] };
}
