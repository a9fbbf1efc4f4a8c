/** The commands, in the order in which help lists them. */
import type { Argv } from "yargs";
import type { CliContext } from "./context.js";

/** Adds a command, whose code is loaded for that. */
const COMMANDS: Readonly<Record<string, (line: Argv, context: CliContext) => Promise<Argv>>> = {
  inspect: async (line, context) =>
    line.command((await import("../commands/inspect.js")).inspectCommand(context)),
  cat: async (line, context) => line.command((await import("../commands/cat.js")).catCommand(context)),
  head: async (line, context) => line.command((await import("../commands/cat.js")).headCommand(context)),
  get: async (line, context) => line.command((await import("../commands/get.js")).getCommand(context)),
  find: async (line, context) => line.command((await import("../commands/find.js")).findCommand(context)),
  digest: async (line, context) =>
    line.command((await import("../commands/digest.js")).digestCommand(context)),
  verify: async (line, context) =>
    line.command((await import("../commands/verify.js")).verifyCommand(context)),
  write: async (line, context) => line.command((await import("../commands/write.js")).writeCommand(context)),
  rewrite: async (line, context) =>
    line.command((await import("../commands/rewrite.js")).rewriteCommand(context)),
  recover: async (line, context) =>
    line.command((await import("../commands/recover.js")).recoverCommand(context)),
  convert: async (line, context) =>
    line.command((await import("../commands/convert.js")).convertCommand(context)),
  scan: async (line, context) => line.command((await import("../commands/scan.js")).scanCommand(context)),
  sql: async (line, context) => line.command((await import("../commands/sql.js")).sqlCommand(context)),
  splits: async (line, context) => line.command((await import("../splits/splits.js")).splitsCommand(context)),
  "run-split": async (line, context) =>
    line.command((await import("../splits/run-split.js")).runSplitCommand(context)),
  table: async (line, context) =>
    line.command((await import("../table-store/table-store.js")).tableStoreCommand(context)),
  bloom: async (line, context) => line.command((await import("../bloom/bloom.js")).bloomCommand(context)),
  kudu: async (line, context) => line.command((await import("../kudu/kudu.js")).kuduCommand(context)),
  delta: async (line, context) => line.command((await import("../delta/delta.js")).deltaCommand(context)),
  hfile: async (line, context) => line.command((await import("../hfile/hfile.js")).hfileCommand(context)),
  serve: async (line, context) => line.command((await import("../serve/serve.js")).serveCommand(context)),
};

/**
 * Adds commands: every one, as the reference of the documentation wants them, or only the one that `args` begin with.
 *
 * @param args of the command line, without the program's name
 */
export async function addCommands(
  line: Argv,
  context: CliContext,
  args: readonly string[] = [],
): Promise<Argv> {
  const [first = ""] = args;
  const add = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (add !== undefined) {
    return add(line, context);
  }
  let all = line;
  for (const addOne of Object.values(COMMANDS)) {
    all = await addOne(all, context);
  }
  return all;
}
