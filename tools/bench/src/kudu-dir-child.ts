/** One task with a Kudu server's directories in a process of its own; prints what it saw, time and peak resident memory as JSON. */
import { readFile } from "node:fs/promises";
import { checkKuduDir, openKuduDir } from "@cfile/kudu-dir";
import { exportParquet } from "@cfile/parquet";
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from "hyparquet";

export interface KuduDirReport {
  /** Rows, or blocks where the task is opening. */
  readonly count: number;
  /** Of `int_val`, modulo 2^32. */
  readonly sum: number;
  /** Bytes that were checked or written. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Until the first rows were there. */
  readonly firstMilliseconds: number;
  readonly maxRssMiB: number;
}

type Outcome = Pick<KuduDirReport, "count" | "sum" | "bytes"> & { readonly first?: number };

const NUMBER = "int_val";

async function open(path: string): Promise<Outcome> {
  await using dir = await openKuduDir(path);
  let count = 0;
  for (const { rowSets } of await dir.tablets()) {
    for (const { blocks } of rowSets) {
      for (const id of [...blocks.columns.values(), blocks.bloom, ...blocks.undo, ...blocks.redo]) {
        count += id !== undefined && (await dir.blocks.find(id)) !== undefined ? 1 : 0;
      }
    }
  }
  return { count, sum: 0, bytes: 0 };
}

async function scan(path: string): Promise<Outcome> {
  await using dir = await openKuduDir(path);
  const [table] = await dir.tables();
  let first: number | undefined;
  let count = 0;
  let sum = 0;
  for await (const { length, columns } of table?.scan({ reuseMemory: true }) ?? []) {
    first ??= performance.now();
    count += length;
    const numbers = columns[1];
    if (numbers?.kind === "fixed") {
      for (let i = 0; i < length; i++) {
        sum = (sum + Number(numbers.values[i])) | 0;
      }
    }
  }
  return { count, sum, bytes: 0, ...(first !== undefined && { first }) };
}

async function parquet(path: string, target: string): Promise<Outcome> {
  await using dir = await openKuduDir(path);
  const [table] = await dir.tables();
  const columns = table?.tablets[0]?.schema.columns ?? [];
  const rows = table?.scan({ reuseMemory: true });
  const written = rows && (await exportParquet(target, { columns, rows }));
  return { count: written?.rows ?? 0, sum: 0, bytes: written?.bytes ?? 0 };
}

async function check(path: string): Promise<Outcome> {
  await using dir = await openKuduDir(path);
  const { ok, liveRows, bytes } = await checkKuduDir(dir);
  return { count: ok ? liveRows : -1, sum: 0, bytes };
}

/** The peer: the same rows out of a Parquet file. */
async function hyparquet(path: string): Promise<Outcome> {
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
        for (let i = 0; i < columnData.length; i++) {
          sum = (sum + Number(columnData[i])) | 0;
        }
      }
    },
  });
  return { count, sum, bytes: 0 };
}

/** Linux hands `maxRSS` down from the parent process; `VmHWM` begins with this one. */
async function peakResidentMiB(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return (peak === undefined ? process.resourceUsage().maxRSS : Number(peak)) / 1024;
}

const [task = "", path = "", target = ""] = process.argv.slice(2);
const tasks: Record<string, () => Promise<Outcome>> = {
  open: () => open(path),
  scan: () => scan(path),
  parquet: () => parquet(path, target),
  check: () => check(path),
  hyparquet: () => hyparquet(path),
};
const run = tasks[task];
if (run === undefined) {
  throw new TypeError(`no task ${task}`);
}
const start = performance.now();
const { first, ...outcome } = await run();
const milliseconds = performance.now() - start;
process.stdout.write(
  JSON.stringify({
    ...outcome,
    milliseconds,
    // A process begins before its first line: what loading takes is part of the wait for the first row.
    firstMilliseconds: first ?? performance.now(),
    maxRssMiB: await peakResidentMiB(),
  } satisfies KuduDirReport),
);
