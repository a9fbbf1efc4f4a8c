/** `cfile splits`: divides a table into independent pieces of work, one per line. */
import { WRITES } from "../kudu/cluster/cluster-directories.js";
import { byteSize } from "../options/option-values.js";
import { TABLE_READ } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT } from "../program/exit-code.js";
import { list, required, value } from "../program/option.js";
import { SPLITS_OUTPUT, writeSplitLines } from "./split-lines.js";

export const splits = command({
  about:
    "A split is a line of JSON that cfile run-split executes on any machine that can read the sources. Splits of several Kudu servers are whole tablets with the writes of all logs; unflushed writes of a single server are in no split.",
  args: {
    sources: required(
      list(
        "PATH",
        "CFiles of one column, a directory of them, a .json manifest of a dataset or of DiskRowSets, a table store, a Hudi table, or the directories of Kudu servers",
      ),
    ),
  },
  options: {
    ...SPLITS_OUTPUT,
    target: value("SIZE", "approximate stored bytes per split, like 64M or 1GiB", byteSize, "256M"),
    ...TABLE_READ,
    ...WRITES,
  },
  examples: [
    ["Divide a table of a Kudu server", "cfile splits /data/1 /data/wal --table t -o splits.ndjson"],
    ["Divide a table of a cluster", "cfile splits /backup/master /backup/ts* --table t -o splits.ndjson"],
    ["Divide a Hudi table", "cfile splits trips --columns id,fare -o splits.ndjson"],
    [
      "Divide a table store and run the splits here",
      "cfile splits table/ --where 'id >= 7' | cfile run-split -o parts",
    ],
  ],
  run: async (context, { sources, output, target, json, ...values }) => {
    const { plannedSplits } = await import("./planned-splits.js");
    const settings = { ...values, dirs: sources, targetBytes: target };
    const { splits, withoutData } = await plannedSplits(context, settings);
    await writeSplitLines(context, splits, { output, json });
    for (const reason of withoutData) {
      await context.stderr.line(`cfile: ${reason}: its rows are in no split`);
    }
    context.exitCode = withoutData.length === 0 ? EXIT.ok : EXIT.corrupt;
  },
});
