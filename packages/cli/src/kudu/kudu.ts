/** `cfile kudu`: the directories of a Kudu server, without the server. */
import type { CommandModule } from "yargs";
import { commandGroup } from "../program/command-group.js";
import type { CliContext } from "../program/context.js";
import { blocksCommand, catBlockCommand } from "./kudu-blocks.js";
import { checkCommand } from "./kudu-check.js";
import { exportCommand } from "./kudu-export.js";
import { loadCommand } from "./kudu-load.js";
import { logCommand } from "./kudu-log.js";
import { lsCommand } from "./kudu-ls.js";
import { diffCommand, scanCommand } from "./kudu-rows.js";
import { treeCommand } from "./kudu-tree.js";

export function kuduCommand(context: CliContext): CommandModule {
  return commandGroup(
    "kudu",
    "directories of a Kudu server, with no server running: tables, rows at any time, changes, checks",
    (group) =>
      group
        .command(lsCommand(context))
        .command(treeCommand(context))
        .command(scanCommand(context))
        .command(diffCommand(context))
        .command(exportCommand(context))
        .command(logCommand(context))
        .command(blocksCommand(context))
        .command(catBlockCommand(context))
        .command(checkCommand(context))
        .command(loadCommand(context)),
    ["$0 kudu scan /data/1 /data/wal --table t --csv", "the rows of a table"],
  );
}
