/**
 * Directories of a cluster: a master with its catalog, and tablet servers. Each tablet has up to three replicas with a row set and a
 * log. Some replicas lack the last operations, and some tablets also have a tombstone.
 */
import { join } from "node:path";
import { BinaryBatch, type ColumnBatch, FixedBatch } from "@cfile/encodings";
import type { RowSetSchema } from "@cfile/rowset";
import { hexName } from "./hex-name.js";
import { loadBatches, loadSchema } from "./load-table.js";
import type { SyntheticLogEntry } from "./log-bytes.js";
import { MessageBytes } from "./message-bytes.js";
import { firstConfig, raftConfigMessage } from "./raft-messages.js";
import { partitionMessage, partitionSchemaMessage, schemaMessage } from "./superblock-bytes.js";
import { type SyntheticServer, syntheticServer, tableIdOf } from "./synthetic-server.js";

export interface SyntheticClusterOptions {
  /** Up to three of them have a replica of each tablet. */
  readonly servers: number;
  readonly tables: number;
  readonly tabletsPerTable: number;
  /** Writes in the log of each replica. */
  readonly writes: number;
  readonly rowsPerWrite: number;
  /** Rows of the row set of each replica. */
  readonly rows: number;
  /** Number of tablets whose second replica has a different cell in its first row. Default 0. */
  readonly differing?: number | undefined;
}

/** Counts of the cluster's contents. */
export interface SyntheticClusterFacts {
  readonly tables: number;
  readonly tablets: number;
  /** Without tombstones. */
  readonly replicas: number;
  readonly tombstones: number;
  /** Replicas that lack operations. */
  readonly behind: number;
  /** Rows of all tables. */
  readonly liveRows: number;
}

const MOST_REPLICAS = 3;
const TERM = 2;
/** One in `BEHIND` tablets has a replica that is behind; one in `TOMBSTONE` has a tombstone. */
const BEHIND = 5;
const TOMBSTONE = 10;
const LACKED = 3;
const FIRST_TIME = 1_700_000_000_000_000n << 12n;
const CATALOG = "0".repeat(32);
const RUNNING = 2;
const TABLE = 1;
const TABLET = 2;
const CERTIFICATE_AUTHORITY = 3;
const TOKEN_SIGNING_KEY = 4;
const CLUSTER_ID = 7;

/** The content of catalog entries with a private key. */
export const PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----";

const catalogSchema: RowSetSchema = {
  columns: (
    [
      ["entry_type", "INT8"],
      ["entry_id", "STRING"],
      ["metadata", "STRING"],
    ] as const
  ).map(([name, type], id) => ({ id, name, type, isKey: id < 2, nullable: false, array: false })),
};

/** @param path a folder that is empty or does not exist; the master's folder is `m0`, those of the tablet servers are `ts0` and so on */
export async function syntheticCluster(
  path: string,
  options: SyntheticClusterOptions,
): Promise<SyntheticClusterFacts> {
  const { tables, tabletsPerTable: buckets, rows, writes, rowsPerWrite, differing = 0 } = options;
  const replicas = Math.min(MOST_REPLICAS, options.servers);
  const uuids = Array.from({ length: options.servers }, (_, i) => hexName("tablet server", i));
  const servers: SyntheticServer[] = [];
  for (const [i, uuid] of uuids.entries()) {
    servers.push(await syntheticServer(join(path, `ts${i}`), { uuid, disks: 1, blockManager: "log" }));
  }
  const entries: CatalogRow[] = [
    {
      type: CERTIFICATE_AUTHORITY,
      id: "root-ca-info",
      message: new MessageBytes().text(1, PRIVATE_KEY),
    },
    { type: TOKEN_SIGNING_KEY, id: "1", message: new MessageBytes().text(1, PRIVATE_KEY) },
    { type: CLUSTER_ID, id: "cluster_id", message: new MessageBytes().text(1, hexName("cluster", 0)) },
  ];
  let tablets = 0;
  let behind = 0;
  let tombstones = 0;
  for (let number = 0; number < tables; number++) {
    const table = `table ${number}`;
    entries.push({ type: TABLE, id: tableIdOf(table), message: tableMessage(table, replicas, buckets) });
    for (let bucket = 0; bucket < buckets; bucket++) {
      const id = hexName(`tablet of ${table}`, bucket);
      const holders = Array.from({ length: replicas }, (_, i) => (tablets + i) % servers.length);
      const peers = holders.map((holder) => uuids[holder] ?? "");
      const log = insertionLog(rows, writes, rowsPerWrite);
      const tablet = { id, table, schema: loadSchema, bucket, buckets };
      for (const [i, holder] of holders.entries()) {
        const isBehind = i === MOST_REPLICAS - 1 && tablets % BEHIND === 0;
        behind += isBehind ? 1 : 0;
        const replica = { peers, term: TERM, log: isBehind ? log.slice(0, -LACKED) : log };
        const isDifferent = i === 1 && tablets < differing;
        const batches = isDifferent ? otherBatches(rows) : loadBatches(0, rows);
        const rowSets = [{ batches: [batches], insertedAt: FIRST_TIME }];
        await servers[holder]?.add({ ...tablet, rowSets, replica });
      }
      if (tablets % TOMBSTONE === 0 && servers.length > replicas) {
        tombstones++;
        const tombstone = { term: 1, index: 1 };
        await servers[(tablets + replicas) % servers.length]?.add({ ...tablet, rowSets: [], tombstone });
      }
      entries.push({ type: TABLET, id, message: tabletMessage(table, bucket, buckets, peers) });
      tablets++;
    }
  }
  for (const server of servers) {
    await server.finish();
  }
  await writeMaster(join(path, "m0"), entries);
  const liveRows = tablets * (rows + writes * rowsPerWrite);
  return { tables, tablets, replicas: tablets * replicas, tombstones, behind, liveRows };
}

/** The rows of `loadBatches` with a different `int_val` in the first row. */
function otherBatches(rows: number): ColumnBatch[] {
  const batches = loadBatches(0, rows);
  const [, numbers] = batches;
  if (numbers?.kind === "fixed") {
    numbers.values[0] = -1;
  }
  return batches;
}

/** Writes of keys after those of the row set; the first operation is the no-op of a new leader. */
function insertionLog(rows: number, writes: number, rowsPerWrite: number): SyntheticLogEntry[] {
  return Array.from({ length: writes + 1 }, (_, i) => ({
    term: TERM,
    index: i + 1,
    timestamp: FIRST_TIME + (BigInt(i + 1) << 12n),
    keys:
      i === 0 ? [] : Array.from({ length: rowsPerWrite }, (_key, key) => rows + (i - 1) * rowsPerWrite + key),
    isCommitted: true,
  }));
}

interface CatalogRow {
  readonly type: number;
  readonly id: string;
  readonly message: MessageBytes;
}

async function writeMaster(path: string, entries: readonly CatalogRow[]): Promise<void> {
  const uuid = hexName("master", 0);
  const master = await syntheticServer(path, { uuid, disks: 1, blockManager: "log" });
  const sorted = [...entries].sort((left, right) =>
    left.type === right.type ? (left.id < right.id ? -1 : 1) : left.type - right.type,
  );
  await master.add({
    id: CATALOG,
    table: "sys.catalog",
    schema: catalogSchema,
    rowSets: [{ batches: [catalogBatches(sorted)], insertedAt: FIRST_TIME }],
    replica: { peers: [uuid], term: TERM, log: insertionLog(0, 0, 0) },
  });
  await master.finish();
}

function catalogBatches(entries: readonly CatalogRow[]): ColumnBatch[] {
  const { length } = entries;
  const rows = { length, firstRow: 0, validity: undefined, nullCount: 0 };
  const encoder = new TextEncoder();
  return [
    new FixedBatch(
      { ...rows, type: "INT8" },
      "INT8",
      Int8Array.from(entries, ({ type }) => type),
    ),
    binaryBatch(entries.map(({ id }) => encoder.encode(id))),
    binaryBatch(entries.map(({ message }) => message.finish())),
  ];
}

function binaryBatch(values: readonly Uint8Array[]): BinaryBatch {
  const offsets = new Int32Array(values.length + 1);
  const data = new Uint8Array(values.reduce((sum, { length }) => sum + length, 0));
  for (const [i, value] of values.entries()) {
    const at = offsets[i] ?? 0;
    data.set(value, at);
    offsets[i + 1] = at + value.length;
  }
  const rows = { length: values.length, firstRow: 0, validity: undefined, nullCount: 0 };
  return new BinaryBatch({ ...rows, type: "STRING" }, offsets, data);
}

/** `SysTablesEntryPB` */
function tableMessage(table: string, replicas: number, buckets: number): MessageBytes {
  return new MessageBytes()
    .text(1, table)
    .varint(2, 0)
    .message(3, schemaMessage(loadSchema))
    .varint(5, replicas)
    .varint(6, RUNNING)
    .message(9, partitionSchemaMessage({ schema: loadSchema, buckets }));
}

/** `SysTabletsEntryPB` */
function tabletMessage(
  table: string,
  bucket: number,
  buckets: number,
  peers: readonly string[],
): MessageBytes {
  const state = new MessageBytes()
    .varint(1, TERM)
    .text(2, peers[0] ?? "")
    .message(3, raftConfigMessage(firstConfig(peers)));
  return new MessageBytes()
    .message(3, state)
    .varint(4, RUNNING)
    .text(6, tableIdOf(table))
    .message(7, partitionMessage({ bucket, buckets }));
}
