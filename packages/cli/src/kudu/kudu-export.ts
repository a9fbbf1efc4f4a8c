/** `cfile kudu export`: a table of a server's directories as files of another format. */
import { TABLE_FORMS } from "../convert/table-form.js";
import { JOBS, JSON_OPTION, output, TABLE_READ, WITH_LOG } from "../options/options.js";
import { command } from "../program/command.js";
import { choice, flag } from "../program/option.js";
import { CLUSTER_DIRS, RECOVER, WRITES, withKuduTables } from "./cluster/cluster-directories.js";

const FORMS = TABLE_FORMS.filter((form) => form !== "rowset");

export const exportToFile = command({
  about:
    "Threads write parts into FILE.parts; run the command again to resume after an interruption. From damaged DiskRowSets of one server, undamaged rows are recovered and the rest is reported, with exit code 3. Of several servers, the best undamaged replica of each tablet is read.",
  args: { dirs: CLUSTER_DIRS },
  options: {
    ...TABLE_READ,
    output: output(
      "FILE",
      "new .parquet, .arrow, .feather, .arrows, .csv or .ndjson file, or a directory for a CFile per column",
    ),
    to: choice("format of the output", FORMS, "by its name"),
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
  ],
  run: (context, values) =>
    withKuduTables(values, async (tables, isCluster) => {
      const { exportTable } = await import("./export/export-table.js");
      await exportTable(context, tables, { ...values, isCluster, withLog: values.withLog || isCluster });
    }),
});
