/** Pools of two threads that run the built worker, and counts of their messages. */
import { MessageChannel, Worker } from "node:worker_threads";
import { onTestFinished, vi } from "vitest";
import {
  createWorkerPool,
  type ServeOptions,
  serveScans,
  type WorkerLike,
  type WorkerPool,
  type WorkerPoolOptions,
} from "../src/index.js";

const workerScript = new URL("../dist/worker.js", import.meta.url);

export function startThread(): Worker {
  return new Worker(workerScript);
}

/** A worker in this thread. */
export function localWorker(options?: ServeOptions): WorkerLike {
  const { port1, port2 } = new MessageChannel();
  serveScans(port1, options);
  return Object.assign(port2, { terminate: () => port2.close() });
}

/** A pool that is closed after the test. */
export function threadPool(options: WorkerPoolOptions = {}): WorkerPool {
  const pool = createWorkerPool({ workers: 2, createWorker: startThread, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

/** Messages between pool and workers by kind, counted as they pass. */
export interface Traffic {
  readonly sent: Map<string, number>;
  readonly received: Map<string, number>;
  readonly createWorker: () => WorkerLike;
}

export function watchedThreads(): Traffic {
  const sent = new Map<string, number>();
  const received = new Map<string, number>();
  const count = (counts: Map<string, number>, message: unknown): void => {
    const { kind } = message as { kind: string };
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  const createWorker = (): WorkerLike => {
    const worker = startThread();
    worker.on("message", (message) => count(received, message));
    return {
      on: (event: string, listener: (value: unknown) => void) => worker.on(event, listener),
      postMessage: (message: unknown, transfer: ArrayBuffer[]) => {
        count(sent, message);
        worker.postMessage(message, transfer);
      },
      terminate: () => worker.terminate(),
    };
  };
  return { sent, received, createWorker };
}

/** Waits until the messages of threads have arrived, which can take seconds when other programs run. */
export async function eventually(check: () => void): Promise<void> {
  await vi.waitFor(check, { timeout: 20_000 });
}
