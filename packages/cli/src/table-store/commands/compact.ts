/** `cfile table compact`: all changes folded into the base data. */
import { printable } from "@cfile/cell-text";
import type { TableStore } from "@cfile/rowset/store";
import type { Argv, CommandModule } from "yargs";
import { parseHybridTime } from "../../options/hybrid-time.js";
import { given, JSON_FLAG, SYNC_FLAG } from "../../options/options.js";
import type { CliContext } from "../../program/context.js";
import { counted, sizeText } from "../../records/quantity.js";
import { ROW_SET } from "../row-set-argument.js";
import { requiredRowSetFolder } from "../row-set-path.js";

interface CompactArguments {
  readonly dir: string;
  readonly dropHistoryBefore?: string | undefined;
  readonly sync: boolean;
  readonly json?: boolean | undefined;
}

export function compactCommand(context: CliContext): CommandModule<object, CompactArguments> {
  return {
    command: "compact <dir>",
    describe: "fold all changes into the base data; every state can still be read",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", ROW_SET)
        .option("drop-history-before", {
          type: "string",
          requiresArg: true,
          describe: "give up the states before this time",
        })
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 table compact table", "")
        .example("$0 table compact table --drop-history-before 2024-01-01T00:00:00Z", ""),
    handler: async ({ dir, dropHistoryBefore, sync, json }) => {
      const before = given(dropHistoryBefore, (text) => parseHybridTime("--drop-history-before", text));
      const fold = async (rowSet: TableStore): Promise<void> => {
        const was = sizesOf(rowSet);
        if (before !== undefined) {
          await rowSet.dropHistoryBefore(before);
        }
        await rowSet.compact();
        const is = sizesOf(rowSet);
        await context.stdout.line(
          json
            ? JSON.stringify({ path: dir, history_start: String(rowSet.historyStart), ...is, before: was })
            : `${printable(dir)}: ${sizesText(is)} (was ${sizesText(was)})`,
        );
      };
      await context.withRowSet(await requiredRowSetFolder(dir), fold, { sync });
    },
  };
}

interface Sizes {
  readonly row_sets: number;
  readonly base_rows: number;
  readonly files: number;
  readonly bytes: number;
}

function sizesOf({ rowSets, files }: TableStore): Sizes {
  const all = files.flat();
  return {
    row_sets: rowSets.length,
    base_rows: rowSets.reduce((sum, { rowCount }) => sum + rowCount, 0),
    files: all.length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function sizesText({ row_sets, files, bytes }: Sizes): string {
  return `${counted(row_sets, "row set")}, ${counted(files, "file")}, ${sizeText(bytes)}`;
}
