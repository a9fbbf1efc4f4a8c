/** `cfile kudu describe`: a table in the form of `kudu table describe`, or a statement that creates it. */
import type { ClusterTable, ClusterTablet } from "@cfile/kudu-dir";
import { SERVER } from "../../options/options.js";
import { command } from "../../program/command.js";
import { choice, required, text } from "../../program/option.js";
import { CLUSTER_DIRS, withKuduCluster } from "./cluster-directories.js";
import { DDL_TARGETS, tableStatement } from "./ddl/statement.js";
import { type DescribedTable, describeText } from "./describe-text.js";

export const describeCommand = command({
  about:
    "Prints what `kudu table describe` prints, or a statement that creates the table. Without a master, owner, comment and replication factor are unknown.",
  args: { dirs: CLUSTER_DIRS },
  options: {
    table: required(text("NAME", "table name or ID")),
    ddl: choice(
      "print the JSON for `kudu table create`, or the CREATE TABLE statement of Impala or Spark",
      DDL_TARGETS,
    ),
    ...SERVER,
  },
  examples: [
    ["Describe a table of a cluster", "cfile kudu describe /backup/master /backup/ts* --table t"],
    ["Create the table in another cluster", "cfile kudu describe backup --table t --ddl kudu > t.json"],
  ],
  run: (context, { table: name, ddl, ...values }) =>
    withKuduCluster(values, async (cluster) => {
      const table = await cluster.table(name);
      const tablets = await cluster.replicaSets(table.id);
      const facts = described(table, tablets);
      await context.stdout.line(ddl === undefined ? describeText(facts) : tableStatement(facts, ddl));
    }),
});

function described({ name, catalog }: ClusterTable, tablets: readonly ClusterTablet[]): DescribedTable {
  const [newest] = tablets
    .flatMap(({ replicas }) => replicas.map(({ tablet }) => tablet.superblock))
    .sort((left, right) => right.schemaVersion - left.schemaVersion);
  return {
    name,
    columns: (catalog ?? newest)?.schema.columns ?? [],
    partitionSchema: catalog?.partitionSchema ?? newest?.partitionSchema,
    partitions: tablets.map(({ partition }) => partition),
    // Old masters record neither.
    owner: catalog && (catalog.owner ?? ""),
    comment: catalog && (catalog.comment ?? ""),
    replicas: catalog?.replicas,
    extraConfig: catalog?.extraConfig,
  };
}
