/** Runs a command line: its command, help, version, errors and exit code. */
import type { Command } from "./command.js";
import { type FoundCommand, findCommand, GLOBAL_OPTIONS, readWords } from "./command-line.js";
import { CliContext } from "./context.js";
import { EXIT, exitCodeOf, UsageError } from "./exit-code.js";
import { type CliIo, processIo, widthOf } from "./io.js";
import { OutputClosed } from "./output/text-output.js";
import { packageVersion } from "./package-version.js";

const MAX_HELP_WIDTH = 100;

/**
 * Runs one command line, without the program's name: `runCli(["head", "c.cfile"])`.
 *
 * @param io streams and environment; default: those of the process
 * @returns the exit code; errors are written, never thrown
 */
export async function runCli(args: readonly string[], io: CliIo = processIo()): Promise<number> {
  const context = new CliContext(io, args.includes("--json"));
  try {
    await runLine(args, context);
    await context.stdout.flush();
    await writeStatistics(context);
    return context.exitCode;
  } catch (error) {
    const code = await failed(error, context);
    await writeStatistics(context);
    return code;
  } finally {
    context.stdout.release();
    context.stderr.release();
  }
}

async function runLine(args: readonly string[], context: CliContext): Promise<void> {
  if (args[0] === "--get-completions") {
    const { completions } = await import("./completion.js");
    const words = await completions(args.slice(1));
    await context.stdout.write(words.map((word) => `${word}\n`).join(""));
    return;
  }
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  const isHelp = args[0] === "help" || options.includes("--help") || options.includes("-h");
  if (!isHelp && options.includes("--version")) {
    return context.stdout.line(packageVersion());
  }
  const found = findCommand(args[0] === "help" ? args.slice(1) : args);
  const command = await found.entry.load?.();
  if (isHelp) {
    return showHelp(found, command, context);
  }
  if (command === undefined) {
    throw new UsageError(`missing command ("${found.name} --help" lists the commands)`);
  }
  context.options = { ...GLOBAL_OPTIONS, ...command.options };
  const given = readWords(found, command);
  const { header, stats, parquetKey } = GLOBAL_OPTIONS;
  context.sources.configure(
    header.read("--header", given.get("header") ?? []),
    stats.read("--stats", given.get("stats") ?? []),
    parquetKey.read("--parquet-key", given.get("parquetKey") ?? []),
  );
  await command.run(context, given);
}

async function showHelp(
  { name, entry }: FoundCommand,
  command: Command | undefined,
  { io, stdout }: CliContext,
): Promise<void> {
  const { commandHelp, groupHelp } = await import("./help.js");
  const width = Math.min(MAX_HELP_WIDTH, widthOf(io));
  const text =
    command === undefined ? groupHelp(name, entry, width) : commandHelp(name, entry, command, width);
  await stdout.line(text);
}

async function writeStatistics(context: CliContext): Promise<void> {
  try {
    for (const line of context.sources.statistics()) {
      await context.stderr.line(line);
    }
  } catch {
    // The reader has closed stderr.
  }
}

async function failed(error: unknown, context: CliContext): Promise<number> {
  if (error instanceof OutputClosed) {
    return EXIT.ok;
  }
  try {
    await context.reportError(error);
  } catch {
    // The reader has closed stderr; the exit code remains.
  }
  return exitCodeOf(error);
}
