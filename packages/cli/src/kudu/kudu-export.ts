/** `cfile kudu export`: a table of a server's directories as files of another format. */
import { PARQUET_COMPRESSION } from "../convert/parquet-codec.js";
import { TABLE_FORMS } from "../convert/table-form.js";
import { parseHybridTime } from "../options/hybrid-time.js";
import { JOBS, JSON_OPTION, output, TABLE_READ, WITH_LOG } from "../options/options.js";
import { command } from "../program/command.js";
import { UsageError } from "../program/exit-code.js";
import { choice, flag, text, value } from "../program/option.js";
import { CLUSTER_DIRS, RECOVER, WRITES, withKuduTables } from "./cluster/cluster-directories.js";

const FORMS = [...TABLE_FORMS.filter((form) => form !== "rowset"), "iceberg"] as const;

export const exportToFile = command({
  about:
    "Threads write parts into FILE.parts; run the command again to resume after an interruption. From damaged DiskRowSets of one server, undamaged rows are recovered and the rest is reported, with exit code 3. Of several servers, the best undamaged replica of each tablet is read.",
  args: { dirs: CLUSTER_DIRS },
  options: {
    ...TABLE_READ,
    output: output(
      "FILE",
      "new .parquet, .arrow, .feather, .arrows, .csv or .ndjson file, or a directory for a CFile per column or an Iceberg table",
    ),
    to: choice("format of the output", FORMS, "by its name"),
    from: value(
      "TIME",
      "add the changes since TIME, where the table ends, to an Iceberg table (up to --as-of)",
      parseHybridTime,
    ),
    location: text("URL", "path or URL of the Iceberg table in its metadata", "its absolute path"),
    compression: PARQUET_COMPRESSION,
    withLog: WITH_LOG,
    ...WRITES,
    recover: RECOVER,
    strict: flag("write nothing if a DiskRowSet is damaged"),
    jobs: JOBS,
    json: JSON_OPTION,
  },
  examples: [
    ["Export a table as Parquet", "cfile kudu export /data/1 /data/wal --table t -o t.parquet"],
    ["Export unflushed writes, too", "cfile kudu export backup --table t --with-log -o t.csv"],
    [
      "Recover a table from several damaged servers",
      "cfile kudu export /backup/ts1 /backup/ts2 /backup/ts3 --table t --recover -o t.parquet",
    ],
    [
      "Export some rows of a snapshot",
      "cfile kudu export backup --table t --where 'id >= 7' --as-of 2024-02-29T12:00:00Z -o t.arrow",
    ],
    [
      "Export an Iceberg table",
      "cfile kudu export backup --table t --to iceberg --as-of 2024-02-29T12:00:00Z -o warehouse/t",
    ],
    [
      "Add later changes to it",
      "cfile kudu export backup --table t --to iceberg --from 2024-02-29T12:00:00Z -o warehouse/t",
    ],
  ],
  run: (context, values) =>
    withKuduTables(values, async (tables, isCluster) => {
      const { from, to } = values;
      // Writes before a snapshot that are flushed later do not count as changes after it.
      const withLog = values.withLog || isCluster || to === "iceberg";
      const all = { ...values, isCluster, withLog };
      if (to !== "iceberg" && (from ?? values.location) !== undefined) {
        throw new UsageError("--from and --location require --to iceberg");
      }
      if (from !== undefined) {
        const { catchUp } = await import("./export/catch-up.js");
        await catchUp(context, tables, { ...all, from });
        return;
      }
      const { exportTable } = await import("./export/export-table.js");
      await exportTable(context, tables, all);
    }),
});
