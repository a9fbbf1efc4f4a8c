/** `cfile splits`: a table in independent pieces of work, one a line. */
import { printable } from "@cfile/cell-text";
import { openSink } from "@cfile/io";
import type { Split } from "@cfile/splits";
import type { Argv, CommandModule } from "yargs";
import { KUDU_FLAGS, TABLET_FLAGS } from "../kudu/kudu-directory.js";
import { nameList } from "../options/csv-list.js";
import { parseHybridTime } from "../options/hybrid-time.js";
import { byteSize } from "../options/option-values.js";
import { given, JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT } from "../program/exit-code.js";
import { counted, sizeText } from "../records/quantity.js";
import { AS_OF, COLUMNS, SCAN_FLAGS } from "../table-store/row-set-scan.js";

interface SplitsArguments {
  readonly sources: readonly string[];
  readonly output?: string | undefined;
  readonly target?: string | undefined;
  readonly columns?: string | undefined;
  readonly where?: readonly string[] | undefined;
  readonly asOf?: string | undefined;
  readonly partialHistory?: boolean | undefined;
  readonly table?: string | undefined;
  readonly tablet?: string | undefined;
  readonly serverKey?: string | undefined;
  readonly historyMaxAge?: string | undefined;
  readonly json?: boolean | undefined;
}

export function splitsCommand(context: CliContext): CommandModule<object, SplitsArguments> {
  return {
    command: "splits <sources..>",
    describe: "a table in independent pieces of work, one a line, for run-split on any machine",
    builder: (yargs: Argv) =>
      yargs
        .positional("sources", {
          type: "string",
          array: true,
          demandOption: true,
          describe:
            "CFiles of one column, a folder of them, a manifest of a dataset or of row sets (.json), the folder of a row set, or the roots of a Kudu server",
        })
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          describe: "new file, like splits.ndjson [default: standard output]",
        })
        .option("target", {
          type: "string",
          requiresArg: true,
          describe: "stored bytes of a split, about, like 64M or 1GiB [default: 256M]",
        })
        .option("columns", COLUMNS)
        .option("where", SCAN_FLAGS.where)
        .option("as-of", AS_OF)
        .option("partial-history", {
          type: "boolean",
          describe: "read times whose history may be gone, for what is left of it",
        })
        .options(TABLET_FLAGS)
        .options(KUDU_FLAGS)
        .option("json", JSON_FLAG)
        .example("$0 splits /data/1 /data/wal --table t -o splits.ndjson", "a table of a Kudu server")
        .example("$0 splits table/ --where 'id >= 7' | $0 run-split -o parts", "a row set, on this machine"),
    handler: async (args) => {
      const { sources, output, table, tablet, serverKey, historyMaxAge, partialHistory = false } = args;
      const [{ splitLine }, { plannedSplits }] = await Promise.all([
        import("@cfile/splits"),
        import("./planned-splits.js"),
      ]);
      const { splits, withoutData } = await plannedSplits(context, {
        dirs: [...sources],
        table,
        tablet,
        serverKey,
        historyMaxAge,
        partialHistory,
        columns: given(args.columns, (text) => nameList("--columns", text)),
        where: [args.where ?? []].flat(),
        asOf: given(args.asOf, (text) => parseHybridTime("--as-of", text)),
        targetBytes: given(args.target, (text) => byteSize("--target", text)),
      });
      if (output === undefined) {
        for (const split of splits) {
          await context.stdout.line(splitLine(split));
        }
      } else {
        await writeLines(output, splits.map(splitLine));
        await context.stdout.line(summary(output, splits, args.json === true));
      }
      for (const { id, state } of withoutData) {
        await context.stderr.line(`cfile: tablet ${id} is ${state}: its rows are not here`);
      }
      context.exitCode = withoutData.length === 0 ? EXIT.ok : EXIT.corrupt;
    },
  };
}

async function writeLines(path: string, lines: readonly string[]): Promise<void> {
  const sink = await openSink(path);
  const encoder = new TextEncoder();
  try {
    for (const line of lines) {
      await sink.write(encoder.encode(`${line}\n`));
    }
    await sink.close();
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}

function summary(path: string, splits: readonly Split[], asJson: boolean): string {
  const rows = splits.reduce((sum, split) => sum + split.rows, 0);
  const bytes = splits.reduce((sum, split) => sum + split.bytes, 0);
  return asJson
    ? JSON.stringify({ path, splits: splits.length, rows, bytes })
    : `${printable(path)}: ${counted(splits.length, "split")}, about ${counted(rows, "row")}, ${sizeText(bytes)}`;
}
