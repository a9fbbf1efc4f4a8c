/**
 * Directories of a tablet server, created without a server: instance files, superblocks, and blocks written by
 * our own writers.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DELETE, type DeltaKind, UPDATE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { ColumnBatch } from "@cfile/encodings";
import { type MemorySink, memorySink } from "@cfile/io";
import type { RowSetSchema } from "@cfile/rowset";
import { RowSetWriter } from "@cfile/rowset/write";
import { type BlockWriter, FileBlockWriter, LogBlockWriter } from "./block-writers.js";
import { containerBytes } from "./container-bytes.js";
import { hexName } from "./hex-name.js";
import { logSegmentBytes, type SyntheticLogEntry } from "./log-bytes.js";
import { MessageBytes } from "./message-bytes.js";
import { consensusMessage, firstConfig, type SyntheticOperation } from "./raft-messages.js";
import { type SyntheticRowSet, superblockBytes } from "./superblock-bytes.js";
import type { SyntheticRows } from "./synthetic-rows.js";

export interface SyntheticServerOptions {
  /** Default: the same for all servers. */
  readonly uuid?: string | undefined;
  /** Number of data directories. */
  readonly disks: number;
  readonly blockManager: "log" | "file";
  /** Size at which a container is full. Default 10 MiB. */
  readonly containerBytes?: number | undefined;
}

/** The Raft configuration of a replica, and its log. */
export interface SyntheticReplica {
  /** UUIDs of the voters. */
  readonly peers: readonly string[];
  readonly term: number;
  readonly log: readonly SyntheticLogEntry[];
}

/** A replica without others, and a log with one no-op: `cfile kudu check` considers the tablet complete. */
export const loneReplica: SyntheticReplica = {
  peers: [hexName("server", 0)],
  term: 1,
  log: [{ term: 1, index: 1, timestamp: 1n, keys: [], isCommitted: true }],
};

export interface SyntheticTablet {
  /** Default: a unique ID. */
  readonly id?: string | undefined;
  readonly table: string;
  readonly schema: RowSetSchema;
  readonly bucket?: number | undefined;
  readonly buckets?: number | undefined;
  readonly rowSets: Iterable<SyntheticRows>;
  /** Its Raft configuration and log. Default: neither file. */
  readonly replica?: SyntheticReplica | undefined;
  /** The last operation of a tombstoned replica, which has neither data nor a log. */
  readonly tombstone?: SyntheticOperation | undefined;
}

const TIME = 1_700_000_000_000_000n;
const DEFAULT_CONTAINER = 10 * 1024 * 1024;
const HISTORY_SECONDS = 604800;

/** @param path a folder that does not exist yet, or is empty */
export async function syntheticServer(
  path: string,
  options: SyntheticServerOptions,
): Promise<SyntheticServer> {
  for (const [name, bytes] of instanceFiles(options)) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  for (const folder of ["tablet-meta", "consensus-meta", "wals"]) {
    await mkdir(join(path, "wal", folder));
  }
  const folders = Array.from({ length: options.disks }, (_, i) => join(path, `data${i + 1}`, "data"));
  const { containerBytes: full = DEFAULT_CONTAINER } = options;
  const blocks =
    options.blockManager === "log" ? new LogBlockWriter(folders, full, TIME) : new FileBlockWriter(folders);
  return new SyntheticServer(path, blocks);
}

/** The files that identify a server and its disks, by path. */
export function instanceFiles({
  uuid = hexName("server", 0),
  disks,
  blockManager,
}: SyntheticServerOptions): ReadonlyMap<string, Uint8Array> {
  const names = Array.from({ length: disks }, (_, i) => `data${i + 1}`);
  const uuids = names.map((_, i) => hexName(`disk of ${uuid}`, i)).sort();
  const instance = containerBytes("kudu.InstanceMetadataPB", [
    new MessageBytes().text(1, uuid).text(2, "Formatted by cfile").finish(),
  ]);
  const files = new Map(["wal", ...names].map((root) => [`${root}/instance`, instance]));
  for (const [i, name] of names.entries()) {
    const set = new MessageBytes().text(1, uuids[i] as string);
    for (const disk of uuids) {
      set.text(2, disk);
    }
    const message = new MessageBytes().message(1, set).text(2, blockManager).varint(3, 4096);
    const file = containerBytes("kudu.DirInstanceMetadataPB", [message.finish()]);
    files.set(`${name}/data/block_manager_instance`, file);
  }
  return files;
}

export class SyntheticServer {
  private readonly path: string;
  private readonly blocks: BlockWriter;
  private tablets = 0;
  private blockCount = 0;

  /** @internal */
  constructor(path: string, blocks: BlockWriter) {
    this.path = path;
    this.blocks = blocks;
  }

  /** Adds a tablet and returns its ID. Tablets with the same table name belong to one table. */
  async add(tablet: SyntheticTablet): Promise<string> {
    const { table, schema, bucket = 0, buckets = 1, rowSets, replica, tombstone } = tablet;
    const { id: tabletId = hexName("tablet", this.tablets++) } = tablet;
    const written: SyntheticRowSet[] = [];
    for (const rows of rowSets) {
      written.push(await this.addRowSet(written.length, schema, rows));
    }
    const bytes = superblockBytes({
      tabletId,
      tableId: tableIdOf(table),
      tableName: table,
      schema,
      rowSets: written,
      bucket,
      buckets,
      tombstone,
      historyMaxAgeSeconds: HISTORY_SECONDS,
    });
    const file = containerBytes("kudu.tablet.TabletSuperBlockPB", [bytes]);
    await writeFile(join(this.path, "wal", "tablet-meta", tabletId), file);
    if (replica !== undefined) {
      await this.addReplica(tabletId, schema, replica);
    }
    return tabletId;
  }

  private async addReplica(tabletId: string, schema: RowSetSchema, replica: SyntheticReplica): Promise<void> {
    const { term, peers, log } = replica;
    const metadata = consensusMessage(firstConfig(peers), term).finish();
    const file = containerBytes("kudu.consensus.ConsensusMetadataPB", [metadata]);
    await writeFile(join(this.path, "wal", "consensus-meta", tabletId), file);
    const folder = join(this.path, "wal", "wals", tabletId);
    await mkdir(folder);
    await writeFile(join(folder, "wal-000000001"), logSegmentBytes(tabletId, schema, log));
  }

  /** Writes the remaining blocks. */
  async finish(): Promise<number> {
    await this.blocks.finish();
    return this.blockCount;
  }

  private async addRowSet(id: number, schema: RowSetSchema, rows: SyntheticRows): Promise<SyntheticRowSet> {
    const files = await rowSetBlocks(schema, rows.batches);
    const columns = new Map<number, bigint>();
    for (const [column, bytes] of files.columns) {
      columns.set(column, await this.put(bytes));
    }
    const { rows: count, bloom, adhocIndex } = files;
    const nothing = new Uint8Array(0);
    const inserted = Array.from({ length: count }, (_, row) => row);
    const undo = await deltaFile("undo", inserted, rows.insertedAt, nothing);
    const redo: bigint[] = [];
    for (const update of rows.updates ?? []) {
      const file = await deltaFile("redo", update.rows, update.timestamp, update.mutations);
      redo.push(await this.put(file.bytes()));
    }
    return {
      id,
      columns,
      bloom: await this.put(bloom),
      adhocIndex: adhocIndex && (await this.put(adhocIndex)),
      undo: [await this.put(undo.bytes())],
      redo,
      liveRows: count,
    };
  }

  private put(bytes: Uint8Array): Promise<bigint> {
    this.blockCount++;
    return this.blocks.write(bytes);
  }
}

/** The blocks of a row set without deltas. */
export interface RowSetBlocks {
  readonly rows: number;
  /** By column ID. */
  readonly columns: ReadonlyMap<number, Uint8Array>;
  readonly bloom: Uint8Array;
  readonly adhocIndex: Uint8Array | undefined;
}

/** @param batches one per column, in key order */
export async function rowSetBlocks(
  schema: RowSetSchema,
  batches: Iterable<readonly ColumnBatch[]>,
): Promise<RowSetBlocks> {
  const sinks = new Map(schema.columns.map((column) => [column.id, memorySink()]));
  const bloom = memorySink();
  const adhocIndex = schema.columns.filter(({ isKey }) => isKey).length > 1 ? memorySink() : undefined;
  const writer = new RowSetWriter({ columns: sinks, bloom, adhocIndex }, schema);
  for (const batch of batches) {
    await writer.append(batch);
  }
  const { rows } = await writer.finish();
  const columns = new Map([...sinks].map(([id, sink]) => [id, sink.bytes()]));
  return { rows, columns, bloom: bloom.bytes(), adhocIndex: adhocIndex?.bytes() };
}

/** ID of a table by its name. */
export function tableIdOf(table: string): string {
  return hexName(`table ${table}`, 0);
}

/** An UNDO file of inserts, or a REDO file of updates. */
async function deltaFile(
  kind: DeltaKind,
  rows: Iterable<number>,
  timestamp: bigint,
  mutations: Uint8Array,
): Promise<MemorySink> {
  const sink = memorySink();
  const writer = new DeltaFileWriter(sink, { kind });
  for (const row of rows) {
    await writer.append(row, timestamp, kind === "undo" ? DELETE : UPDATE, mutations);
  }
  await writer.finish();
  return sink;
}
