/** `cfile kudu load`: rows of a row set made offline become rows of a table, in a copy of a server's directories. */
import { cp, mkdir, rm } from "node:fs/promises";
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { fileDirectory } from "@cfile/io/file";
import { loadRows, openKuduDir } from "@cfile/kudu-dir";
import { openTableStore } from "@cfile/rowset/store";
import type { Argv, CommandModule } from "yargs";
import { parseHybridTime } from "../options/hybrid-time.js";
import { given, JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { counted } from "../records/quantity.js";

interface LoadArguments {
  readonly dir: string;
  readonly table: string;
  readonly rowset: string;
  readonly "copy-to": string;
  readonly timestamp?: string | undefined;
  readonly json?: boolean | undefined;
}

export function loadCommand(context: CliContext): CommandModule<object, LoadArguments> {
  return {
    command: "load <dir>",
    describe: "add the rows of a row set to a table, in a copy of a stopped server's directories",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", {
          type: "string",
          demandOption: true,
          describe:
            "the folder that holds all roots of a Kudu server that is stopped; nothing in it is changed",
        })
        .option("table", {
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "name or id of the table",
        })
        .option("rowset", {
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "folder that `table create` made, with the table's columns and key",
        })
        .option("copy-to", {
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "where the copy with the rows goes; must not be there",
        })
        .option("timestamp", {
          type: "string",
          requiresArg: true,
          describe: "when the rows were inserted, after the table's last write [default: now]",
        })
        .option("json", JSON_FLAG)
        .example("$0 kudu load /data/ts --table t --rowset rows --copy-to /data/ts-new", ""),
    handler: async (args) => {
      const { dir, "copy-to": copyTo } = args;
      const timestamp = given(args.timestamp, (text) => parseHybridTime("--timestamp", text));
      await makeNew(copyTo);
      try {
        await cp(dir, copyTo, { recursive: true, preserveTimestamps: true });
        await using server = await openKuduDir(copyTo);
        await using rows = await openTableStore(args.rowset);
        const openFolder = (path: string) => fileDirectory(path, { create: true });
        const loaded = await loadRows(server, args.table, rows, {
          timestamp,
          openFolder,
          signal: context.io.signal,
        });
        const text = args.json
          ? JSON.stringify({
              path: copyTo,
              rows: loaded.rows,
              timestamp: String(loaded.timestamp),
              tablets: loaded.tablets,
            })
          : [
              `${printable(copyTo)}: ${counted(loaded.rows, "row")} inserted at ${loaded.timestamp}`,
              ...loaded.tablets.map(
                (tablet) =>
                  `  tablet ${tablet.id}: ${counted(tablet.rows, "row")}, ${counted(tablet.rowSets, "row set")}`,
              ),
            ].join("\n");
        await context.stdout.line(text);
      } catch (error) {
        await rm(copyTo, { recursive: true, force: true });
        throw error;
      }
    },
  };
}

/** Nothing that is there is written over. */
async function makeNew(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw new CFileError("E_IO", isThere ? "the folder is there already" : String(cause), { path, cause });
  }
}
