/** `cfile kudu restore`: writes directories for a new Kudu cluster, with the tables of another. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { printable } from "@cfile/cell-text";
import { fileDirectory } from "@cfile/io/file";
import { type KuduCluster, type RestoredCluster, type RestoredTable, restoreCluster } from "@cfile/kudu-dir";
import { nameList } from "../../options/csv-list.js";
import { wholeNumber } from "../../options/option-values.js";
import { JSON_OPTION, output, SERVER, SYNC } from "../../options/options.js";
import { command } from "../../program/command.js";
import type { CliContext } from "../../program/context.js";
import { EXIT, UsageError } from "../../program/exit-code.js";
import { flag, list, value } from "../../program/option.js";
import { startProgress } from "../../program/output/progress.js";
import { counted, countText, sum } from "../../records/quantity.js";
import { left, right, tableLines } from "../../records/table.js";
import { inFinalFolder } from "../final-folder.js";
import { partitionText } from "../partition-text.js";
import { CLUSTER_DIRS, WRITES, withKuduCluster } from "./cluster-directories.js";
import { oneLine } from "./describe-text.js";

const MAX_SERVERS = 100;
const FIRST_PORT = 7050;
const PORT_STEP = 100;
const NOT_ENCRYPTED =
  "not encrypted: the old files are encrypted, these are not; keep them on an encrypted disk, or start a new cluster with encryption and copy the tables";
/** Hybrid timestamps are microseconds, times 4,096. */
const TIMESTAMPS_PER_MILLISECOND = 4_096_000n;

export const restoreCommand = command({
  about:
    "Tables keep their IDs, names, owners, comments, partitions and tablets, and rows their history. Unflushed writes of the logs become row sets. The new cluster has one master and makes new private keys; encryption at rest is off. Exit code 3 if something could not be restored.",
  args: { dirs: CLUSTER_DIRS },
  options: {
    output: output("DIR", "new directory, for the folders master, ts0, ts1 and so on"),
    table: list("NAME", "table to restore, by name or ID; may be repeated; all if omitted"),
    servers: value(
      "N",
      "number of tablet servers; tablets have a replica on each, at most three, unless --keep-replication",
      (name, digits) => wholeNumber(name, digits, 1, MAX_SERVERS),
      "1",
    ),
    addresses: value(
      "HOST:PORT,…",
      "addresses of the tablet servers; several servers find each other by them",
      nameList,
      "127.0.0.1:7050, 127.0.0.1:7150 and so on",
    ),
    keepReplication: flag("give tables the number of replicas that they had, as far as there are servers"),
    emptyMissing: flag("create tablets that have no replica without rows, instead of failing"),
    recover: flag("recover the rows of tablets without an undamaged replica, without their history"),
    ...WRITES,
    sync: SYNC,
    json: JSON_OPTION,
    ...SERVER,
  },
  examples: [
    ["Restore on one tablet server", "cfile kudu restore /backup/master /backup/ts* -o /data/new"],
    [
      "Restore on three, with three replicas",
      "cfile kudu restore /backup -o new --servers 3 --addresses a:7050,b:7050,c:7050",
    ],
  ],
  run: (context, { output: folder, table, sync, emptyMissing, recover, keepReplication, json, ...values }) =>
    withKuduCluster(values, async (cluster) => {
      const addresses = addressesOf(values);
      const tables = table.length === 0 ? undefined : table;
      const restored = await inFinalFolder(folder, (path) =>
        restoreTo(path, cluster, context, {
          addresses,
          tables,
          emptyMissing,
          recover,
          keepReplication,
          sync,
        }),
      );
      await context.stdout.line(
        json ? JSON.stringify(jsonOf(folder, restored), undefined, 2) : lines(folder, restored).join("\n"),
      );
      context.exitCode = restored.tables.flatMap(notesOf).length > 0 ? EXIT.corrupt : EXIT.ok;
    }),
});

interface RestoreSettings {
  readonly addresses: readonly string[];
  readonly tables: readonly string[] | undefined;
  readonly emptyMissing: boolean;
  readonly recover: boolean;
  readonly keepReplication: boolean;
  readonly sync: boolean;
}

async function restoreTo(
  path: string,
  cluster: KuduCluster,
  context: CliContext,
  { sync, ...settings }: RestoreSettings,
): Promise<RestoredCluster> {
  let bar: ReturnType<typeof startProgress> | undefined;
  try {
    return await restoreCluster(cluster, {
      ...settings,
      describePartition: partitionText,
      blockSize: (await stat(path)).blksize,
      openFolder: (folder) => fileDirectory(join(path, folder), { create: true, sync }),
      onProgress: (done, total) => {
        bar ??= startProgress(context.io, "restoring", total);
        bar.update(done);
      },
      signal: context.io.signal,
    });
  } finally {
    bar?.stop();
  }
}

function addressesOf({
  servers,
  addresses,
}: {
  servers: number | undefined;
  addresses: readonly string[] | undefined;
}) {
  if (addresses !== undefined && servers !== undefined && addresses.length !== servers) {
    throw new UsageError(`--servers is ${servers}, but --addresses has ${addresses.length}`);
  }
  const port = (i: number): number => FIRST_PORT + PORT_STEP * i;
  return addresses ?? Array.from({ length: servers ?? 1 }, (_, i) => `127.0.0.1:${port(i)}`);
}

function lines(folder: string, { servers, tables, wasEncrypted, lastWrite }: RestoredCluster): string[] {
  const rows = tables.map((table) => {
    const { name, replicas, isSoftDeleted, tablets } = table;
    const total = totals(table);
    return [
      oneLine(name),
      ...[replicas, tablets.length, total.rowSets, total.rows, total.flushed].map(countText),
      isSoftDeleted ? "soft deleted" : "",
    ];
  });
  const tablets = tables.flatMap((table) => table.tablets);
  const notes = tables.flatMap(notesOf);
  const unknown = tables.flatMap(unknownOf);
  const numbers = ["replicas", "tablets", "DiskRowSets", "rows", "from logs"];
  const size = [
    counted(tables.length, "table"),
    counted(tablets.length, "tablet"),
    counted(sum(tablets.map((tablet) => tablet.rows)), "row"),
  ];
  return [
    `${printable(folder)}: ${size.join(", ")}`,
    ...tableLines([left("table"), ...numbers.map(right), left("")], rows, ""),
    ...(notes.length === 0 ? [] : ["not restored:", ...notes]),
    ...(unknown.length === 0 ? [] : ["not on these disks:", ...unknown]),
    ...(wasEncrypted ? [NOT_ENCRYPTED] : []),
    ...clockLines(lastWrite),
    "servers:",
    ...servers.map(
      ({ folder: name, uuid, address }) =>
        `  ${printable(join(folder, name))}  ${uuid}${address === undefined ? "" : `  ${address}`}`,
    ),
  ];
}

/** Kudu does not start when a timestamp is later than its clock. */
function clockLines(lastWrite: bigint): string[] {
  const written = Number(lastWrite / TIMESTAMPS_PER_MILLISECOND);
  return written > Date.now()
    ? [`start the servers only after ${new Date(written).toISOString()}, the time of the last write`]
    : [];
}

/** What a table lost, and why. */
function notesOf({ name, tablets, gaps, notes }: RestoredTable): string[] {
  const ofTablets = tablets.flatMap(({ id, partition, server, notes: reasons }) => {
    const isNew = server === undefined ? ["no replica was found: the tablet is new and empty"] : [];
    return [...isNew, ...reasons].map((reason) => `tablet ${id}, ${partitionText(partition)}: ${reason}`);
  });
  const missing = gaps.map((gap) => `no tablet has ${partitionText(gap)}`);
  return [...missing, ...notes, ...ofTablets].map((note) => `  ${oneLine(name)}: ${note}`);
}

/** Ranges that the disks do not have, and that the table may never have had. */
function unknownOf({ name, unknown }: RestoredTable): string[] {
  return unknown.map(
    (range) =>
      `  ${oneLine(name)}: no tablet has ${partitionText(range)}; without a master it is unknown whether the table does`,
  );
}

function totals({ tablets }: RestoredTable) {
  return {
    rowSets: sum(tablets.map(({ rowSets }) => rowSets)),
    rows: sum(tablets.map(({ rows }) => rows)),
    flushed: sum(tablets.map(({ flushed }) => flushed)),
  };
}

function jsonOf(
  folder: string,
  { clusterId, servers, tables, wasEncrypted, lastWrite }: RestoredCluster,
): unknown {
  return {
    path: folder,
    cluster_id: clusterId,
    last_write: String(lastWrite),
    encrypted: false,
    was_encrypted: wasEncrypted,
    servers: servers.map(({ folder: name, uuid, address }) => ({ path: join(folder, name), uuid, address })),
    tables: tables.map(({ id, name, replicas, isSoftDeleted, tablets, gaps, unknown, notes: left_out }) => ({
      id,
      name,
      num_replicas: replicas,
      soft_deleted: isSoftDeleted,
      left_out: [...gaps.map((gap) => `no tablet has ${partitionText(gap)}`), ...left_out],
      unknown_ranges: unknown.map(partitionText),
      tablets: tablets.map(({ id: tablet, partition, server, rowSets, rows, flushed, notes }) => ({
        tablet_id: tablet,
        partition: partitionText(partition),
        copied_from: server,
        row_sets: rowSets,
        rows,
        operations_from_log: flushed,
        not_restored: server === undefined ? ["all rows: no replica was found", ...notes] : notes,
      })),
    })),
  };
}
