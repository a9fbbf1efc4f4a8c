/** `cfile kudu ksck`: the health of a cluster's tables and replicas, from its disks. */
import { type ClusterProblem, type ClusterReport, checkCluster } from "@cfile/kudu-dir";
import { JSON_OPTION, SERVER } from "../../options/options.js";
import { command } from "../../program/command.js";
import { EXIT } from "../../program/exit-code.js";
import { counted } from "../../records/quantity.js";
import { CLUSTER_DIRS, withKuduCluster } from "./cluster-directories.js";
import { oneLine } from "./describe-text.js";

export const ksckCommand = command({
  about:
    "Checks what `kudu cluster ksck` checks in a running cluster: replicas that are missing, damaged or behind, Raft configurations and terms that differ, and gaps in partitions. Exit code 3 if something is wrong.",
  args: { dirs: CLUSTER_DIRS },
  options: { json: JSON_OPTION, ...SERVER },
  examples: [["Check a cluster", "cfile kudu ksck /backup/master /backup/ts*"]],
  run: (context, { json, ...values }) =>
    withKuduCluster(values, async (cluster) => {
      const report = await checkCluster(cluster);
      await context.stdout.line(json ? JSON.stringify(report, undefined, 2) : reportLines(report).join("\n"));
      context.exitCode = report.ok ? EXIT.ok : EXIT.corrupt;
    }),
});

function reportLines({ ok, servers, tables, tablets, replicas, problems }: ClusterReport): string[] {
  const size = [
    counted(servers, "server"),
    counted(tables, "table"),
    counted(tablets, "tablet"),
    counted(replicas, "replica"),
  ].join(", ");
  return [
    ok ? `ok: ${size}` : `${counted(problems.length, "problem")}: ${size}`,
    ...problems.map(problemLine),
  ];
}

function problemLine({ kind, table, tablet, server, reason }: ClusterProblem): string {
  const where = [
    oneLine(table),
    tablet === undefined ? "" : `tablet ${tablet}`,
    server === undefined ? "" : `server ${server}`,
  ];
  return `  ${kind}: ${where.filter((part) => part !== "").join(", ")}: ${reason}`;
}
