/** `cfile kudu catalog`: the tables and tablets that the masters of a cluster record. */
import { CFileError } from "@cfile/bytes";
import type { Catalog, CatalogTable, CatalogTablet } from "@cfile/kudu-dir";
import { JSON_OPTION, SERVER } from "../../options/options.js";
import { command } from "../../program/command.js";
import { countText } from "../../records/quantity.js";
import { left, right, tableLines } from "../../records/table.js";
import { partitionText } from "../partition-text.js";
import { CLUSTER_DIRS, withKuduCluster } from "./cluster-directories.js";
import { oneLine } from "./describe-text.js";

export const catalogCommand = command({
  about:
    "Reads sys.catalog from the directories of a master, with its write-ahead log. Entries with private keys are counted as redacted and never printed.",
  args: { dirs: CLUSTER_DIRS },
  options: { json: JSON_OPTION, ...SERVER },
  examples: [["List all tables of a cluster, dropped ones included", "cfile kudu catalog /backup/master"]],
  run: (context, { json, ...values }) =>
    withKuduCluster(values, async (cluster) => {
      const catalog = await cluster.catalog();
      if (catalog === undefined) {
        throw new CFileError(
          "E_NOT_FOUND",
          "no master in the directories; superblocks know tables without owner, comment and states: see cfile kudu ls",
          {
            field: "sys.catalog",
          },
        );
      }
      await context.stdout.line(
        json ? JSON.stringify(catalogJson(catalog), undefined, 2) : catalogLines(catalog).join("\n"),
      );
    }),
});

function catalogLines(catalog: Catalog): string[] {
  const tablets = [...catalog.tablets.values()];
  const rows = [...catalog.tables.values()]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ id, name, state, owner, comment, replicas, reservedUntil }) => [
      oneLine(name),
      id,
      reservedUntil === undefined ? state : `${state} until ${new Date(reservedUntil).toISOString()}`,
      oneLine(owner),
      countText(replicas),
      countText(tablets.filter(({ tableId }) => tableId === id).length),
      oneLine(comment),
    ]);
  return [
    `cluster ${catalog.clusterId ?? "without an ID"}`,
    ...tableLines(
      [...["table", "id", "state", "owner"].map(left), right("replicas"), right("tablets"), left("comment")],
      rows,
      "",
    ),
    `redacted: ${catalog.redacted} entries with private keys`,
  ];
}

function catalogJson({ clusterId, tables, tablets, redacted }: Catalog): unknown {
  return {
    cluster_id: clusterId,
    tables: [...tables.values()].map((table) => tableJson(table, [...tablets.values()])),
    redacted,
  };
}

function tableJson(table: CatalogTable, all: readonly CatalogTablet[]): unknown {
  const { id, name, state, owner, comment, replicas, version, schema, partitionSchema } = table;
  return {
    id,
    name,
    state,
    owner,
    comment,
    num_replicas: replicas,
    version,
    created_at: isoTime(table.createdAt),
    altered_at: isoTime(table.alteredAt),
    reserved_until: isoTime(table.reservedUntil),
    extra_config: Object.fromEntries(table.extraConfig),
    columns: schema.columns.map(({ id: column, name: columnName, type, nullable, isKey }) => ({
      id: column,
      name: columnName,
      type,
      nullable,
      key: isKey,
    })),
    tablets: all
      .filter(({ tableId }) => tableId === id)
      .map(({ id: tablet, state: tabletState, partition, leader, config }) => ({
        tablet_id: tablet,
        state: tabletState,
        partition_info: partitionText({ partition, partitionSchema, schema }),
        replicas: (config?.peers ?? []).map(({ uuid, address, isVoter }) => ({
          role: uuid === leader ? "L" : isVoter ? "V" : "N",
          uuid,
          host_port: address,
        })),
      })),
  };
}

function isoTime(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}
