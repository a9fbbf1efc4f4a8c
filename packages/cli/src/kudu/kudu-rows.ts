/** `cfile kudu scan` and `cfile kudu diff`: rows of a table out of a server's directories. */

import { isCFileError } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { KuduTablet, UnreadablePart } from "@cfile/kudu-dir";
import type { Argv, CommandModule } from "yargs";
import { nameList } from "../options/csv-list.js";
import { parseHybridTime } from "../options/hybrid-time.js";
import { wholeNumber } from "../options/option-values.js";
import { given, JSON_FLAG } from "../options/options.js";
import { parseWhere } from "../options/where-expression.js";
import type { CliContext } from "../program/context.js";
import { combineExitCodes, exitCodeOf, UsageError } from "../program/exit-code.js";
import { columnsOf, namesIn } from "./kudu-columns.js";
import {
  DIRS,
  KUDU_FLAGS,
  TABLET_FLAGS,
  type TabletArguments,
  tabletsOfTable,
  withKuduDir,
} from "./kudu-directory.js";
import { tellOfLog } from "./kudu-log-notice.js";
import { type RowFormatName, RowWriter } from "./kudu-row-writer.js";

interface RowArguments extends TabletArguments {
  readonly columns?: string | undefined;
  readonly json: boolean | undefined;
  readonly ndjson: boolean | undefined;
  readonly csv: boolean | undefined;
  readonly decode: boolean | undefined;
  readonly partialHistory?: boolean | undefined;
  readonly withLog?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

interface ScanArguments extends RowArguments {
  readonly asOf?: string | undefined;
  readonly where?: readonly string[] | string | undefined;
  readonly limit?: string | undefined;
}

interface DiffArguments extends RowArguments {
  readonly from: string;
  readonly to: string;
}

function rowOptions(yargs: Argv) {
  return yargs
    .positional("dirs", DIRS)
    .options(TABLET_FLAGS)
    .option("columns", {
      type: "string",
      requiresArg: true,
      describe: "names with commas between [default: all]",
    })
    .option("json", JSON_FLAG)
    .option("ndjson", { type: "boolean", describe: "one JSON object a line" })
    .option("csv", { type: "boolean", describe: "CSV with a line of names" })
    .option("decode", {
      type: "boolean",
      describe: "dates, timestamps, UTF-8, floats and decimals as readable text [default: in tables]",
    })
    .option("with-log", {
      type: "boolean",
      describe: "with what the server had only in memory, from its write-ahead log",
    })
    .option("partial-history", {
      type: "boolean",
      describe: "read times whose history may be gone, for what is left of it",
    })
    .option("strict", {
      type: "boolean",
      describe: "write nothing of a table of which something cannot be read",
    })
    .options(KUDU_FLAGS)
    .conflicts({ json: ["ndjson", "csv"], ndjson: "csv" });
}

const TIME = "a hybrid timestamp, or a time like 2024-02-29T12:00:00Z";

export function scanCommand(context: CliContext): CommandModule<object, ScanArguments> {
  return {
    command: "scan <dirs..>",
    describe: "write the rows of a table, as they were at a time",
    builder: (yargs: Argv) =>
      rowOptions(yargs)
        .option("as-of", {
          type: "string",
          requiresArg: true,
          describe: `what was written before ${TIME} [default: everything]`,
        })
        .option("where", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: 'condition like "id >= 7", "s prefix a", "n in (1, 2)", "n is null"; may be given again',
        })
        .option("limit", { type: "string", requiresArg: true, describe: "most rows" })
        .example("$0 kudu scan /data/1 /data/wal --table t --csv", "a table as CSV")
        .example('$0 kudu scan backup --table t --where "id < 10" --json', "exact values of some rows"),
    handler: async (args) => {
      const asOf = given(args.asOf, (text) => parseHybridTime("--as-of", text));
      let left = given(args.limit, (text) => wholeNumber("--limit", text)) ?? Number.POSITIVE_INFINITY;
      await writeRows(
        context,
        args,
        { field: "asOf", time: asOf },
        async function* (tablet, columns, tolerance) {
          const where = [args.where ?? []].flat().map((text) => parseWhere(text, tablet.schema.columns));
          const { signal } = context.io;
          for await (const batch of tablet.scan({
            ...tolerance,
            columns,
            where,
            asOf,
            limit: left,
            signal,
          })) {
            left -= batch.length;
            yield batch;
          }
        },
      );
    },
  };
}

export function diffCommand(context: CliContext): CommandModule<object, DiffArguments> {
  return {
    command: "diff <dirs..>",
    describe: "write the rows of a table that changed between two times",
    builder: (yargs: Argv) =>
      rowOptions(yargs)
        .option("from", {
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: `first time: ${TIME}`,
        })
        .option("to", {
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "the time after the last",
        })
        .example(
          "$0 kudu diff backup --table t --from 2024-02-29T12:00:00Z --to 2024-03-01T00:00:00Z",
          "what changed, as it was at the end",
        ),
    handler: async (args) => {
      const from = parseHybridTime("--from", args.from);
      const to = parseHybridTime("--to", args.to);
      if (from > to) {
        throw new UsageError("--from is after --to");
      }
      const { signal } = context.io;
      await writeRows(context, args, { field: "from", time: from }, (tablet, columns, tolerance) =>
        tablet.diff(from, to, { ...tolerance, columns, signal }),
      );
    },
  };
}

interface ReadTolerance {
  readonly onUnreadable: ((part: UnreadablePart) => void) | undefined;
  readonly partialHistory?: boolean;
  readonly withLog?: boolean;
}

/** The earliest time of which the state must be known; for changes, `from`. */
interface EarliestTime {
  readonly field: "asOf" | "from";
  readonly time: bigint | undefined;
}

type ReadRows = (
  tablet: KuduTablet,
  columns: readonly string[],
  tolerance: ReadTolerance,
) => AsyncGenerator<TableBatch, void, void>;

/** What can be read is written; what cannot be is named, and in the exit code. */
async function writeRows(
  context: CliContext,
  args: RowArguments,
  { field, time }: EarliestTime,
  read: ReadRows,
): Promise<void> {
  const format: RowFormatName = args.json ? "json" : args.ndjson ? "ndjson" : args.csv ? "csv" : "text";
  const { partialHistory = false, withLog = false } = args;
  const codes: number[] = [];
  const unreadable: UnreadablePart[] = [];
  const onUnreadable = args.strict ? undefined : (part: UnreadablePart) => void unreadable.push(part);
  await withKuduDir(args, async (dir) => {
    const tablets = await tabletsOfTable(dir, args);
    const columns = columnsOf(
      tablets,
      given(args.columns, (text) => nameList("--columns", text)),
    );
    const decode = args.decode ?? format === "text";
    // Nothing is written when the answer is that it is not known.
    for (const tablet of tablets) {
      await tablet.requireHistory(field, time, { partialHistory });
    }
    const changes = field === "from";
    const writer = new RowWriter({ format, decode, changes, columns }, context.stdout);
    await writer.begin();
    for (const tablet of tablets) {
      await writer.beginTablet(tablet);
      try {
        const names = namesIn(tablet, columns);
        for await (const batch of read(tablet, names, { onUnreadable, partialHistory, withLog })) {
          await writer.batch(batch);
        }
      } catch (error) {
        // The rows before are written, those of other tablets may be sound; the state of another time is no part of it.
        const isAnswer = isCFileError(error, "E_HISTORY_GONE") || isCFileError(error, "E_INVALID_ARGUMENT");
        if (!isCFileError(error) || args.strict || isAnswer) {
          throw error;
        }
        unreadable.push({ tablet: tablet.id, rowSet: undefined, error });
      }
      await writer.endTablet();
      if (!unreadable.some((part) => part.tablet === tablet.id && part.rowSet === undefined)) {
        await tellOfLog(context, tablet, withLog);
      }
    }
    await writer.end();
    for (const { tablet, rowSet, error } of unreadable) {
      const part = rowSet === undefined ? `tablet ${tablet}` : `tablet ${tablet}, row set ${rowSet}`;
      await context.stderr.line(`cfile: left out of ${part}:`);
      await context.reportError(error);
      codes.push(exitCodeOf(error));
    }
  });
  context.exitCode = combineExitCodes(codes);
}
