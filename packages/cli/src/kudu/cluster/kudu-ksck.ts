/** `cfile kudu ksck`: the health of a cluster's tables and replicas, from its disks. */
import { type ClusterProblem, type ClusterReport, type ComparedTablet, checkCluster } from "@cfile/kudu-dir";
import { JSON_OPTION, SERVER } from "../../options/options.js";
import { command } from "../../program/command.js";
import { EXIT } from "../../program/exit-code.js";
import { toggle } from "../../program/option.js";
import { counted } from "../../records/quantity.js";
import { partitionText } from "../partition-text.js";
import { CLUSTER_DIRS, withKuduCluster } from "./cluster-directories.js";
import { oneLine } from "./describe-text.js";

export const ksckCommand = command({
  about:
    "Checks what `kudu cluster ksck` checks in a running cluster: replicas that are missing, damaged or behind, Raft configurations and terms that differ, and gaps in partitions. Reads all rows of all replicas and compares them at the latest time that they have in common. Exit code 3 if something is wrong.",
  args: { dirs: CLUSTER_DIRS },
  options: { checksumScan: toggle("compare the rows of replicas", "on"), json: JSON_OPTION, ...SERVER },
  examples: [
    ["Check a cluster", "cfile kudu ksck /backup/master /backup/ts*"],
    ["Check without reading rows", "cfile kudu ksck backup --no-checksum-scan"],
  ],
  run: (context, { checksumScan = true, json, ...values }) =>
    withKuduCluster(values, async (cluster) => {
      const report = await checkCluster(cluster, { compareRows: checksumScan, signal: context.io.signal });
      await context.stdout.line(
        json ? JSON.stringify(reportJson(report), undefined, 2) : reportLines(report).join("\n"),
      );
      context.exitCode = report.ok ? EXIT.ok : EXIT.corrupt;
    }),
});

function reportJson({ problems, compared, ...report }: ClusterReport): unknown {
  return {
    ...report,
    problems: problems.map(({ partition, ...problem }) => ({
      ...problem,
      partition_info: partition && partitionText(partition),
    })),
    compared: compared.map(({ table, tablet, asOf, replicas }) => ({
      table,
      tablet,
      as_of: asOf?.toString(),
      replicas: replicas.map(({ server, rows, digest, error }) => ({ server, rows, digest, error })),
    })),
  };
}

function reportLines({
  ok,
  servers,
  tables,
  tablets,
  replicas,
  problems,
  compared,
}: ClusterReport): string[] {
  const size = [
    counted(servers, "server"),
    counted(tables, "table"),
    counted(tablets, "tablet"),
    counted(replicas, "replica"),
  ].join(", ");
  return [
    ok ? `ok: ${size}` : `${counted(problems.length, "problem")}: ${size}`,
    ...problems.map(problemLine),
    ...(compared.length === 0 ? [] : [comparedLine(compared), ...compared.flatMap(uncomparedLines)]),
  ];
}

function comparedLine(compared: readonly ComparedTablet[]): string {
  const replicas = compared.flatMap((tablet) => tablet.replicas).filter(({ digest }) => digest !== undefined);
  return `compared the rows of ${counted(replicas.length, "replica")} of ${counted(compared.length, "tablet")}`;
}

function uncomparedLines({ table, tablet, replicas }: ComparedTablet): string[] {
  return replicas.flatMap(({ server, error }) =>
    error === undefined
      ? []
      : [`  not compared: ${oneLine(table)}, tablet ${tablet}, server ${server}: ${oneLine(error.message)}`],
  );
}

function problemLine({ kind, table, tablet, server, partition, reason }: ClusterProblem): string {
  const where = [
    oneLine(table),
    tablet === undefined ? "" : `tablet ${tablet}`,
    partition === undefined ? "" : partitionText(partition),
    server === undefined ? "" : `server ${server}`,
  ];
  return `  ${kind}: ${where.filter((part) => part !== "").join(", ")}: ${reason}`;
}
