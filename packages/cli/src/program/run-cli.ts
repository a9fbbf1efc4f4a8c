/** The command line: its commands, help, completion, errors and exit code. */
import yargs, { type Argv } from "yargs";
import { SOURCE_FLAGS } from "../options/input-sources.js";
import { addCommands } from "./command-list.js";
import { CliContext } from "./context.js";
import { EXIT, exitCodeOf, UsageError } from "./exit-code.js";
import { type CliIo, processIo, widthOf } from "./io.js";
import { OutputClosed } from "./text-output.js";
import { packageVersion } from "./version.js";

/** Arguments and options that may be given more than once, by command. */
const REPEATABLE: Readonly<Record<string, readonly string[]>> = {
  write: ["encoding", "compression", "key"],
  scan: ["where"],
  "bloom check": ["keys"],
  "table create": ["encoding", "compression"],
  "table scan": ["where"],
  "table get": ["keys"],
  "table history": ["keys"],
  "kudu scan": ["where"],
  "kudu export": ["where"],
  splits: ["where", "sources"],
  "run-split": ["allow-root", "allowRoot"],
};
const MOST_HELP_COLUMNS = 110;

/**
 * Runs one command line, without the program's name: `runCli(["head", "c.cfile"])`.
 *
 * @param io streams and environment; default: the process's own
 * @returns the exit code; errors are written, never thrown
 */
export async function runCli(args: readonly string[], io: CliIo = processIo()): Promise<number> {
  const context = new CliContext(io, args.includes("--json"));
  try {
    await runCommand(args, context);
    await context.stdout.flush();
    await tellStatistics(context);
    return context.exitCode;
  } catch (error) {
    const code = await failed(error, context);
    await tellStatistics(context);
    return code;
  } finally {
    context.stdout.release();
    context.stderr.release();
  }
}

async function runCommand(args: readonly string[], context: CliContext): Promise<void> {
  let output = "";
  const line = await commandLine(args, context);
  withoutUnaskedHelp(line);
  await line.parseAsync([...args], {}, (_error: unknown, _argv: unknown, text: string) => {
    output = text;
  });
  if (output !== "") {
    await context.stdout.line(output);
  }
}

/** yargs renders the help text of each command that it runs: 28 of the 540 ms of processor time of a small `cfile rewrite`. */
function withoutUnaskedHelp(line: Argv & { getInternalMethods?: () => Internals }): void {
  const usage = line.getInternalMethods?.().getUsageInstance?.();
  if (usage !== undefined) {
    usage.cacheHelpMessage = () => undefined;
  }
}

interface Internals {
  readonly getUsageInstance?: () => { cacheHelpMessage: () => void };
}

async function commandLine(args: readonly string[], context: CliContext) {
  const line = yargs()
    .scriptName("cfile")
    .usage(
      "$0 <command>\n\nInspects, reads, searches, checks, writes and rewrites CFiles, and tables of them.",
    );
  return (await addCommands(line, context, args))
    .completion("completion", "write a script for completion in bash or zsh")
    .example("$0 inspect c.cfile", "what the file is made of")
    .example("$0 head -n 5 c.cfile --decode", "its first values")
    .example("$0 write table.csv -o table", "a CFile for each column of a table")
    .example("$0 completion >> ~/.bashrc", "complete commands and options in the shell")
    .epilogue(
      "Files are paths, http: and https: URLs, or s3://bucket/key, read as AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN say.\n\n" +
        "Exit codes: 0 ok, 1 failure, 2 usage, 3 damaged file, 4 unsupported, 5 input or output, 130 interrupted.",
    )
    .parserConfiguration({
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "dot-notation": false,
      "greedy-arrays": false,
    })
    .locale("en")
    .options(SOURCE_FLAGS)
    .middleware(({ header, stats }) => context.sources.configure(header, stats), true)
    .version(packageVersion())
    .help()
    .alias("help", "h")
    .wrap(Math.min(MOST_HELP_COLUMNS, widthOf(context.io)))
    .demandCommand(1, 1, "a command is expected; cfile --help lists them", "one command at a time")
    .strict()
    .check(refuseRepetition)
    .exitProcess(false)
    .fail((message, error) => {
      throw error instanceof Error && error.name !== "YError"
        ? error
        : new UsageError(message ?? error.message);
    });
}

function refuseRepetition(argv: { readonly [name: string]: unknown; readonly _: readonly unknown[] }): true {
  const [command, part] = argv._;
  const repeatable = REPEATABLE[`${command} ${part}`] ?? REPEATABLE[`${command}`] ?? [];
  const allowed = ["_", "files", "dirs", "header", ...repeatable];
  for (const [name, value] of Object.entries(argv)) {
    if (Array.isArray(value) && !allowed.includes(name)) {
      throw new UsageError(`--${name} is given more than once`);
    }
  }
  return true;
}

async function tellStatistics(context: CliContext): Promise<void> {
  try {
    for (const line of context.sources.statistics()) {
      await context.stderr.line(line);
    }
  } catch {
    // Nobody reads the messages any more.
  }
}

async function failed(error: unknown, context: CliContext): Promise<number> {
  if (error instanceof OutputClosed) {
    return EXIT.ok;
  }
  try {
    await context.reportError(error);
  } catch {
    // Nobody reads the messages any more; the exit code still tells.
  }
  return exitCodeOf(error);
}
