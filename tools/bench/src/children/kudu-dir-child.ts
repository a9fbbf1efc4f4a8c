/**
 * Runs one task on the directories of a Kudu server in a separate process. Prints results, time and peak
 * resident memory as JSON. Each task loads only the modules it needs.
 */
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { MemoryArena } from "@cfile/bytes";
import { peakResidentMiB } from "../machine/peak-memory.js";

export interface KuduDirReport {
  /** Rows; or blocks, if the task opens blocks. */
  readonly count: number;
  /** Sum of `int_val`, modulo 2^32. */
  readonly sum: number;
  /** Bytes checked or written. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Processor time of all threads. */
  readonly cpuMilliseconds: number;
  /** From the start of the process until all modules are loaded. */
  readonly loadMilliseconds: number;
  /** From the start of the process until the first rows arrive. */
  readonly firstMilliseconds: number;
  readonly maxRssMiB: number;
}

type Outcome = Pick<KuduDirReport, "count" | "sum" | "bytes"> & { readonly first?: number };

const NUMBER = "int_val";
/** Number of blocks opened at the same time. */
const AT_ONCE = 8;
/** Bytes read at a time. */
const PIECE = 1 << 20;

type Task = (path: string, target: string) => Promise<Outcome>;

/**
 * Finds each block that a superblock names. With `isRead`, also opens the block, and reads, decodes and checks its
 * footer.
 */
async function open(isRead: boolean): Promise<Task> {
  const { openKuduDir } = await import("@cfile/kudu-dir");
  const { openCFile } = await import("@cfile/format");
  return async (path) => {
    await using dir = await openKuduDir(path);
    const ids: bigint[] = [];
    for (const { rowSets } of await dir.tablets()) {
      for (const { blocks } of rowSets) {
        const all = [...blocks.columns.values(), blocks.bloom, ...blocks.undo, ...blocks.redo];
        ids.push(...all.filter((id) => id !== undefined));
      }
    }
    let count = 0;
    let next = 0;
    const reader = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        const block = await dir.blocks.find(id);
        if (block !== undefined && isRead) {
          await openCFile(block.source, { cacheBytes: 0 });
        }
        count += block === undefined ? 0 : 1;
      }
    };
    await Promise.all(Array.from({ length: isRead ? AT_ONCE : 1 }, reader));
    return { count, sum: 0, bytes: 0 };
  };
}

// A separate small function: as part of a large one, the loop would run for a long time before it is
// compiled.
function sumOf(values: ArrayLike<number | bigint>, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) {
    sum = (sum + Number(values[i])) | 0;
  }
  return sum;
}

async function scan(order: "any" | "key"): Promise<Task> {
  const { openKuduDir } = await import("@cfile/kudu-dir");
  return async (path) => {
    await using dir = await openKuduDir(path);
    const [table] = await dir.tables();
    let first: number | undefined;
    let count = 0;
    let sum = 0;
    for await (const { length, columns } of table?.scan({ order, arena: new MemoryArena() }) ?? []) {
      first ??= performance.now();
      count += length;
      const numbers = columns[1];
      if (numbers?.kind === "fixed" && numbers.values instanceof Int32Array) {
        sum = (sum + sumOf(numbers.values, length)) | 0;
      }
    }
    return { count, sum, bytes: 0, ...(first !== undefined && { first }) };
  };
}

async function parquet(): Promise<Task> {
  const { openKuduDir } = await import("@cfile/kudu-dir");
  const { exportParquet } = await import("@cfile/parquet/write");
  return async (path, target) => {
    await using dir = await openKuduDir(path);
    const [table] = await dir.tables();
    const columns = table?.tablets[0]?.schema.columns ?? [];
    const rows = table?.scan({ arena: new MemoryArena() });
    const written = rows && (await exportParquet(target, { columns, rows }, { codec: "SNAPPY" }));
    return { count: written?.rows ?? 0, sum: 0, bytes: written?.bytes ?? 0 };
  };
}

/** Writes the directories of a new cluster, with all rows of the log in row sets. */
async function restore(): Promise<Task> {
  const { fileDirectory } = await import("@cfile/io/file");
  const { openKuduCluster, restoreCluster } = await import("@cfile/kudu-dir");
  return async (path, target) => {
    await using cluster = await openKuduCluster(path);
    const openFolder = (folder: string) => fileDirectory(join(target, folder), { create: true, sync: false });
    const { tables } = await restoreCluster(cluster, { openFolder });
    const count = tables.flatMap(({ tablets }) => tablets).reduce((sum, { rows }) => sum + rows, 0);
    return { count, sum: 0, bytes: 0 };
  };
}

async function check(): Promise<Task> {
  const { checkKuduDir, openKuduDir } = await import("@cfile/kudu-dir");
  return async (path) => {
    await using dir = await openKuduDir(path);
    const { ok, liveRows, bytes } = await checkKuduDir(dir);
    return { count: ok ? liveRows : -1, sum: 0, bytes };
  };
}

/** Checks with the command, with one thread per core. */
async function checkInThreads(): Promise<Task> {
  const { processIo, runCli } = await import("@cfile/cli");
  return async (path) => {
    const stdout = new PassThrough();
    const [code, told] = await Promise.all([
      runCli(["kudu", "check", path, "--json"], { ...processIo(), stdout }).finally(() => stdout.end()),
      text(stdout),
    ]);
    const { ok, live_rows, bytes } = JSON.parse(told);
    return { count: ok && code === 0 ? live_rows : -1, sum: 0, bytes };
  };
}

/** The peer of a check: reads all files of the directories and computes their checksums with the processor's instruction. */
async function checksums(): Promise<Task> {
  const { crc32c } = await import("@node-rs/crc32");
  const { open: openFile, readdir } = await import("node:fs/promises");
  return async (path) => {
    const piece = new Uint8Array(PIECE);
    let sum = 0;
    let bytes = 0;
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) {
        const file = await openFile(join(entry.parentPath, entry.name));
        for (;;) {
          const { bytesRead } = await file.read(piece);
          if (bytesRead === 0) {
            break;
          }
          sum ^= crc32c(piece.subarray(0, bytesRead));
          bytes += bytesRead;
        }
        await file.close();
      }
    }
    return { count: 0, sum, bytes };
  };
}

/** The peer: the same rows from a Parquet file. */
async function hyparquet(): Promise<Task> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetRead } = await import("hyparquet");
  return async (path) => {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    let count = 0;
    let sum = 0;
    await parquetRead({
      file,
      metadata,
      utf8: false,
      onChunk: ({ columnName, columnData }) => {
        if (columnName === NUMBER) {
          count += columnData.length;
          sum = (sum + sumOf(columnData as ArrayLike<number | bigint>, columnData.length)) | 0;
        }
      },
    });
    return { count, sum, bytes: 0 };
  };
}

const tasks: Record<string, () => Promise<Task>> = {
  find: () => open(false),
  open: () => open(true),
  scan: () => scan("any"),
  "scan-in-order": () => scan("key"),
  parquet,
  restore,
  check,
  "check-in-threads": checkInThreads,
  checksums,
  hyparquet,
};
const [name = "", path = "", target = ""] = process.argv.slice(2);
const load = tasks[name];
if (load === undefined) {
  throw new TypeError(`no task ${name}`);
}
const task = await load();
const start = performance.now();
const before = process.cpuUsage();
const { first, ...outcome } = await task(path, target);
const { user, system } = process.cpuUsage(before);
const milliseconds = performance.now() - start;
process.stdout.write(
  JSON.stringify({
    ...outcome,
    milliseconds,
    cpuMilliseconds: (user + system) / 1000,
    loadMilliseconds: start,
    // Measured from the start of the process, so that loading is part of the time to the first row.
    firstMilliseconds: first ?? performance.now(),
    maxRssMiB: await peakResidentMiB(),
  } satisfies KuduDirReport),
);
