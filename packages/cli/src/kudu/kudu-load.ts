/** `cfile kudu load`: adds the rows of a table store to a table, in a copy of a server's directories. */
import { cp, mkdir, rm } from "node:fs/promises";
import { CFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import { fileDirectory } from "@cfile/io/file";
import { loadRows, openKuduDir } from "@cfile/kudu-dir";
import { openTableStore } from "@cfile/rowset/store";
import { JSON_OPTION, TIMESTAMP } from "../options/options.js";
import { command } from "../program/command.js";
import { required, text } from "../program/option.js";
import { counted } from "../records/quantity.js";

export const load = command({
  about:
    "The server must be stopped. A server that is started on the copy serves the new rows. Keys must be new; columns are matched by name, types and key must be those of the table.",
  args: {
    dir: required(text("DIR", "directory that holds all directories of a Kudu server; never changed")),
  },
  options: {
    table: required(text("NAME", "table, by name or id")),
    rowset: required(text("DIR", "table store with the rows, made by cfile table create")),
    copyTo: required(text("DIR", "new directory for the copy")),
    timestamp: TIMESTAMP("when the rows were inserted, after the table's last write", "now"),
    json: JSON_OPTION,
  },
  examples: [["Load rows", "cfile kudu load /data/ts --table t --rowset rows --copy-to /data/ts-new"]],
  run: async (context, { dir, table, rowset, copyTo, timestamp, json }) => {
    await makeNew(copyTo);
    try {
      await cp(dir, copyTo, { recursive: true, preserveTimestamps: true });
      await using server = await openKuduDir(copyTo);
      await using rows = await openTableStore(rowset);
      const openFolder = (path: string) => fileDirectory(path, { create: true });
      const { signal } = context.io;
      const loaded = await loadRows(server, table, rows, { timestamp, openFolder, signal });
      const { tablets } = loaded;
      const lines = json
        ? [
            JSON.stringify({
              path: copyTo,
              rows: loaded.rows,
              timestamp: String(loaded.timestamp),
              tablets,
            }),
          ]
        : [
            `${printable(copyTo)}: ${counted(loaded.rows, "row")} inserted at ${loaded.timestamp}`,
            ...tablets.map(
              ({ id, rows, rowSets }) =>
                `  tablet ${id}: ${counted(rows, "row")}, ${counted(rowSets, "DiskRowSet")}`,
            ),
          ];
      await context.stdout.line(lines.join("\n"));
    } catch (error) {
      await rm(copyTo, { recursive: true, force: true });
      throw error;
    }
  },
});

/** Never overwrites anything. */
async function makeNew(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw new CFileError("E_IO", exists ? "the directory already exists" : String(cause), { path, cause });
  }
}
