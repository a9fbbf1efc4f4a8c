/** `cfile cat` and `cfile head`: the values of a file. */
import type { Argv, CommandModule } from "yargs";
import { writeHFileCells } from "../hfile/hfile-cells.js";
import { rowRange, wholeNumber } from "../options/option-values.js";
import { DECODE_FLAGS, FILE, given, JSON_FLAG, scaleOf } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { type CellFormatName, writeCells } from "../records/cell-writer.js";

interface CellArguments {
  readonly file: string;
  readonly json: boolean | undefined;
  readonly ndjson: boolean | undefined;
  readonly csv: boolean | undefined;
  readonly decode: boolean | undefined;
  readonly scale: string | undefined;
}

const NDJSON_FLAG = { type: "boolean", describe: "one JSON value a line" } as const;
const CSV_FLAG = {
  type: "boolean",
  describe: "one CSV field a line; null is empty, empty text is quoted",
} as const;

function cellOptions(yargs: Argv) {
  return yargs
    .positional("file", FILE)
    .option("json", JSON_FLAG)
    .option("ndjson", NDJSON_FLAG)
    .option("csv", CSV_FLAG)
    .options(DECODE_FLAGS)
    .conflicts({ json: ["ndjson", "csv"], ndjson: "csv" });
}

export function catCommand(
  context: CliContext,
): CommandModule<object, CellArguments & { rows: string | undefined }> {
  return {
    command: "cat <file>",
    describe: "write the values, one a line",
    builder: (yargs: Argv) =>
      cellOptions(yargs)
        .option("rows", {
          type: "string",
          requiresArg: true,
          describe: "rows A to B, B not included, like 100:200",
        })
        .example("$0 cat c.cfile --decode", "readable text")
        .example("$0 cat keys.hfile --json", "the cells of an HFile")
        .example("$0 cat c.cfile --json --rows 100:200", "exact values of a hundred rows as a JSON array"),
    handler: (args) => writeRows(context, args, given(args.rows, (text) => rowRange("--rows", text)) ?? {}),
  };
}

export function headCommand(context: CliContext): CommandModule<object, CellArguments & { n: string }> {
  return {
    command: "head <file>",
    describe: "write the first values, one a line",
    builder: (yargs: Argv) =>
      cellOptions(yargs)
        .option("n", { type: "string", requiresArg: true, default: "10", describe: "how many" })
        .example("$0 head -n 3 c.cfile --decode", "the first three values as readable text"),
    handler: (args) => writeRows(context, args, { to: wholeNumber("-n", args.n) }),
  };
}

async function writeRows(
  context: CliContext,
  args: CellArguments,
  rows: { from?: number; to?: number },
): Promise<void> {
  const options = { decode: args.decode ?? false, scale: scaleOf(args.scale) };
  const format: CellFormatName = args.json ? "json" : args.ndjson ? "ndjson" : args.csv ? "csv" : "text";
  if (await context.isHFile(args.file)) {
    await context.withHFile(args.file, (file) =>
      writeHFileCells(context, file, rows, { format, decode: options.decode }),
    );
    return;
  }
  await context.withFile(args.file, (file) =>
    writeCells(
      file.scan({ rows, signal: context.io.signal, batchRows: 8192 }),
      format,
      options,
      context.stdout,
    ),
  );
}
