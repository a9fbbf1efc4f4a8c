/** `cfile hbase bloom`: asks the Bloom filter of a store file. */
import { command } from "../program/command.js";
import { UsageError } from "../program/exit-code.js";
import { flag, required, text, value } from "../program/option.js";
import { column, openRoot, ROOT, ROW } from "./hbase-options.js";

export const bloom = command({
  about:
    'Prints "maybe" or "absent". Links and references are followed. A file without a filter, and a filter of rows and columns without --column, answers "maybe".',
  args: {
    root: ROOT,
    file: required(text("FILE", "store file: path below ROOT, like data/default/users/REGION/cf/NAME")),
  },
  options: {
    row: required(ROW("row, or prefix of a row")),
    column: value("COLUMN", "column as FAMILY:HEX, for filters of rows and columns", column),
    deleteFamily: flag("ask the filter of rows whose families were deleted"),
  },
  examples: [
    ["Ask for a row", "cfile hbase bloom /hbase data/default/users/REGION/cf/NAME --row 75736572303031"],
  ],
  run: async (context, { root: path, file, row, column: named, deleteFamily }) => {
    const { signal } = context.io;
    const root = await openRoot(context, path);
    const inside = file.startsWith(`${path.replace(/\/+$/, "")}/`)
      ? file.slice(path.replace(/\/+$/, "").length + 1)
      : file;
    const family = inside.split("/").at(-2);
    if (named !== undefined && named.family !== family) {
      throw new UsageError(
        `--column names family "${named.family}", but the file belongs to "${family ?? ""}"`,
      );
    }
    const filters = await root.bloomFilters(inside);
    try {
      const qualifier = named?.qualifier;
      const bytes = typeof qualifier === "string" ? new TextEncoder().encode(qualifier) : qualifier;
      const isMaybe = deleteFamily
        ? await filters.mayDeleteFamily(row, { signal })
        : await filters.mayContain(row, bytes, { signal });
      await context.stdout.line(isMaybe ? "maybe" : "absent");
    } finally {
      await filters.close();
    }
  },
});
