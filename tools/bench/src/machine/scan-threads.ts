/**
 * Threads that each scan their own file from memory and share nothing: the throughput of this machine's cores
 * with two threads.
 */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { MemoryArena } from "@cfile/bytes";
import { openCFile } from "cfile";

const RUNS = 7;

async function serve(path: string): Promise<void> {
  const bytes = new Uint8Array(readFileSync(path));
  const scan = async (): Promise<number> => {
    let rows = 0;
    for await (const batch of (await openCFile(bytes)).scan({ arena: new MemoryArena() })) {
      rows += batch.length;
    }
    return rows;
  };
  await scan();
  parentPort?.on("message", async () => parentPort?.postMessage(await scan()));
}

function scanned(thread: Worker): Promise<unknown> {
  const answer = once(thread, "message");
  thread.postMessage("scan");
  return answer;
}

async function median(task: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await task();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[RUNS >> 1] ?? Number.NaN;
}

/** Work of two threads relative to that of one thread in the same time. */
export async function gainOfTwoThreads(path: string): Promise<number> {
  const threads = [0, 1].map(() => new Worker(new URL(import.meta.url), { workerData: path }));
  try {
    await Promise.all(threads.map(scanned));
    const one = await median(() => scanned(threads[0] as Worker));
    const two = await median(() => Promise.all(threads.map(scanned)));
    return (2 * one) / two;
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

if (!isMainThread && typeof workerData === "string") {
  await serve(workerData);
}
