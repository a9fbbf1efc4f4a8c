/**
 * Scans of a CFile behind a web server and plain downloads of the file, in turn. Arguments are the path of the file, the latency of the
 * server in milliseconds, and the number of rows. Prints an `HttpScans` as JSON.
 */
import { readFile } from "node:fs/promises";
import { MemoryArena } from "@cfile/bytes";
import { httpSource } from "@cfile/io/http";
import { type CFileReader, openCFile } from "cfile";
import { LatencyServer, type Traffic } from "../machine/latency-server.js";
import { WrongAnswer } from "../measure.js";
import { takeTurns, timeOf } from "../turns.js";

/** What one task took, and the traffic of its last turn. */
export interface TaskTurns extends Traffic {
  /** Milliseconds, by turn. */
  readonly times: readonly number[];
}

type Task = "all rows of an open file" | "all rows" | "all rows, announced" | "plain download";
export type HttpScans = Readonly<Record<Task, TaskTurns>>;

const TURNS = 25;
/** Prefetch size for callers that announce a full read. */
const PREFETCH = 64 << 20;

async function scan(file: CFileReader, rows: number): Promise<void> {
  let count = 0;
  for await (const batch of file.scan({ arena: new MemoryArena() })) {
    count += batch.length;
  }
  if (count !== rows) {
    throw new WrongAnswer(`${count} rows over HTTP, expected ${rows}`);
  }
}

async function download(url: string, size: number): Promise<void> {
  const { byteLength } = await (await fetch(url)).arrayBuffer();
  if (byteLength !== size) {
    throw new WrongAnswer(`${byteLength} bytes over HTTP, expected ${size}`);
  }
}

async function scansOf(server: LatencyServer, size: number, rows: number): Promise<HttpScans> {
  const open = await openCFile(httpSource(server.url));
  const tasks: Record<Task, () => Promise<void>> = {
    "all rows of an open file": () => scan(open, rows),
    "all rows": async () => scan(await openCFile(httpSource(server.url)), rows),
    "all rows, announced": async () => {
      await using announced = await openCFile(httpSource(server.url, { prefetchBytes: PREFETCH }));
      await scan(announced, rows);
    },
    "plain download": () => download(server.url, size),
  };
  const traffic = new Map<string, Traffic>();
  const contenders = Object.entries(tasks).map(([name, task]) => {
    const run = async (): Promise<number> => {
      server.take();
      const milliseconds = await timeOf(task);
      traffic.set(name, server.take());
      return milliseconds;
    };
    return [name, run] as const;
  });
  const turns = await takeTurns(TURNS, Object.fromEntries(contenders));
  const measured = Object.entries(turns).map(([name, times]) => [name, { ...traffic.get(name), times }]);
  return Object.fromEntries(measured) as HttpScans;
}

const [path = "", latency, rows] = process.argv.slice(2);
const file = await readFile(path);
const server = await LatencyServer.start(file, Number(latency));
const scans = await scansOf(server, file.length, Number(rows));
await server.stop();
process.stdout.write(JSON.stringify(scans));
process.exit();
