/** `cfile kudu ls`: tables and tablets in a server's directories, and their sizes. */
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { TabletSize } from "@cfile/kudu-dir/catalog";
import { JSON_OPTION, SERVER, TABLETS } from "../options/options.js";
import { command } from "../program/command.js";
import { EXIT } from "../program/exit-code.js";
import { flag, withShort } from "../program/option.js";
import { counted, countText, sizeText } from "../records/quantity.js";
import { left, right, tableLines } from "../records/table.js";
import { CLUSTER_DIRS, withKuduCluster } from "./cluster/cluster-directories.js";
import { selectedTablets, withKuduDir } from "./kudu-directory.js";
import { partitionJson, partitionText } from "./partition-text.js";

export const ls = command({
  args: { dirs: CLUSTER_DIRS },
  options: {
    ...TABLETS,
    long: withShort("l", flag("also list the columns with their sizes")),
    json: JSON_OPTION,
    ...SERVER,
  },
  examples: [
    ["List the tablets of a server", "cfile kudu ls /data/1 /data/2 /data/wal"],
    ["List the replicas of a cluster, and which one is read", "cfile kudu ls /backup/master /backup/ts*"],
    ["List the columns of a table", "cfile kudu ls backup --table t --long"],
  ],
  run: async (context, { json, long, ...values }) => {
    const isListed = await withKuduCluster(values, async (cluster) => {
      if (cluster.servers.length > 1) {
        const { listCluster } = await import("./cluster/list-cluster.js");
        await listCluster(context, cluster, { ...values, json });
      }
      return cluster.servers.length > 1;
    });
    if (isListed) {
      return;
    }
    await withKuduDir(values, async (dir) => {
      const entries: Entry[] = [];
      for (const tablet of await selectedTablets(dir, values)) {
        // Duplicate block IDs are reported with the problems of the directory.
        entries.push({ tablet, size: await tablet.size(() => undefined) });
      }
      const problems = await dir.problems();
      if (json) {
        const { uuid: server, encrypted } = dir;
        const tablets = entries.map(tabletJson);
        const value = { server, encrypted, roots: dir.roots.names, tablets, problems };
        await context.stdout.line(JSON.stringify(value, undefined, 2));
      } else {
        const columns = long ? entries.flatMap(columnLines) : [];
        await context.stdout.line([...tabletLines(entries), ...columns].join("\n"));
        await context.reportErrors(problems);
      }
      context.exitCode = problems.length > 0 ? EXIT.corrupt : EXIT.ok;
    });
  },
});

interface Entry {
  readonly tablet: KuduTablet;
  readonly size: TabletSize;
}

function tabletJson({ tablet, size }: Entry): Readonly<Record<string, unknown>> {
  const { id, tableName, tableId, state, superblock, schema, liveRowCount } = tablet;
  const { schemaVersion, lastDurableMrsId, rowSets } = superblock;
  return {
    tablet: id,
    table: tableName,
    table_id: tableId,
    state,
    schema_version: schemaVersion,
    last_durable_mrs_id: String(lastDurableMrsId),
    live_rows: liveRowCount,
    row_sets: rowSets.length,
    partition: { text: partitionText(superblock), ...partitionJson(superblock) },
    bytes: {
      total: size.total,
      bloom: size.bloom,
      adhoc_index: size.adhocIndex,
      undo: size.undo,
      redo: size.redo,
    },
    columns: schema.columns.map(({ id: column, name, type, nullable, isKey }) => ({
      id: column,
      name,
      type,
      nullable,
      key: isKey,
      bytes: size.columns.get(column) ?? 0,
    })),
    missing_blocks: size.missing.map(String),
  };
}

function tabletLines(entries: readonly Entry[]): string[] {
  const rows = entries.map(({ tablet, size }) => [
    printable(tablet.tableName),
    tablet.id,
    tablet.state,
    partitionText(tablet.superblock) || "all",
    tablet.liveRowCount === undefined ? "?" : countText(tablet.liveRowCount),
    countText(tablet.rowSets.length),
    sizeText(size.total),
    size.missing.length === 0 ? "" : `${counted(size.missing.length, "block")} missing`,
  ]);
  return tableLines(
    [
      ...["table", "tablet", "state", "partition"].map(left),
      ...["rows in files", "DiskRowSets", "size"].map(right),
      left(""),
    ],
    rows,
    "",
  );
}

function columnLines({ tablet, size }: Entry): string[] {
  const rows = tablet.schema.columns.map(({ id, name, type, isKey, nullable, array }) => [
    String(id),
    printable(name),
    `${type}${array ? " array" : ""}${nullable ? " null" : ""}`,
    isKey ? "key" : "",
    sizeText(size.columns.get(id) ?? 0),
  ]);
  const others = [
    ["", "Bloom files", "", "", sizeText(size.bloom)],
    ["", "ad-hoc index", "", "", sizeText(size.adhocIndex)],
    ["", "UNDO files", "", "", sizeText(size.undo)],
    ["", "REDO files", "", "", sizeText(size.redo)],
  ];
  return [
    "",
    `${printable(tablet.tableName)}, tablet ${tablet.id}`,
    ...tableLines([right("id"), left("column"), left("type"), left(""), right("size")], [...rows, ...others]),
  ];
}
