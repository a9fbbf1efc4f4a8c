/** `cfile table scan`: the rows that match conditions. */
import { KEY_RANGE } from "../../options/key-range.js";
import { AS_OF, READ_TABLE_STORE } from "../../options/options.js";
import { command } from "../../program/command.js";
import { SCAN, scanTable } from "../table-scan.js";

export const scan = command({
  args: { dir: READ_TABLE_STORE },
  options: { ...SCAN, ...KEY_RANGE, asOf: AS_OF },
  examples: [
    [
      "Filter rows and select columns",
      "cfile table scan table --where \"city prefix 'New'\" --columns id,city",
    ],
    ["Read a range of keys", "cfile table scan table --from-key TX,AUS --to-key VT"],
    ["Read a snapshot as CSV", "cfile table scan table --as-of 2024-02-29T12:00:00Z --format csv"],
    ["Read DiskRowSets of a Kudu server", "cfile table scan roles.json --format ndjson"],
  ],
  run: (context, { dir, ...values }) => context.withTable(dir, (table) => scanTable(context, table, values)),
});
