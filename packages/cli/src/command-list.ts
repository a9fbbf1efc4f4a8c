/** The commands, in the order in which help lists them. */
import type { Argv } from "yargs";
import { bloomCommand } from "./commands/bloom.js";
import { catCommand, headCommand } from "./commands/cat.js";
import { convertCommand } from "./commands/convert.js";
import { deltaCommand } from "./commands/delta.js";
import { digestCommand } from "./commands/digest.js";
import { findCommand } from "./commands/find.js";
import { getCommand } from "./commands/get.js";
import { hfileCommand } from "./commands/hfile.js";
import { inspectCommand } from "./commands/inspect.js";
import { kuduCommand } from "./commands/kudu.js";
import { recoverCommand } from "./commands/recover.js";
import { rewriteCommand } from "./commands/rewrite.js";
import { rowsetCommand } from "./commands/rowset.js";
import { runSplitCommand } from "./commands/run-split.js";
import { scanCommand } from "./commands/scan.js";
import { serveCommand } from "./commands/serve.js";
import { splitsCommand } from "./commands/splits.js";
import { sqlCommand } from "./commands/sql.js";
import { verifyCommand } from "./commands/verify.js";
import { writeCommand } from "./commands/write.js";
import type { CliContext } from "./context.js";

/** Adds every command; the reference of the documentation is made of what is added here. */
export function addCommands(line: Argv, context: CliContext): Argv {
  return line
    .command(inspectCommand(context))
    .command(catCommand(context))
    .command(headCommand(context))
    .command(getCommand(context))
    .command(findCommand(context))
    .command(digestCommand(context))
    .command(verifyCommand(context))
    .command(writeCommand(context))
    .command(rewriteCommand(context))
    .command(recoverCommand(context))
    .command(convertCommand(context))
    .command(scanCommand(context))
    .command(sqlCommand(context))
    .command(splitsCommand(context))
    .command(runSplitCommand(context))
    .command(rowsetCommand(context))
    .command(bloomCommand(context))
    .command(kuduCommand(context))
    .command(deltaCommand(context))
    .command(hfileCommand(context))
    .command(serveCommand(context));
}
