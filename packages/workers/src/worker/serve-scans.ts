/** The worker's side of a pool: opens files, and sends the requested rows or calls a function with them. */
import { MemoryArena } from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import { fieldsOf } from "../messages/error-fields.js";
import type { OutputMessage, PoolMessage, ScanMessage, WorkerMessage } from "../messages/messages.js";
import { Thrown } from "../messages/thrown-fields.js";
import { type MessageEnd, onMessage } from "../pool/worker-like.js";
import { callFunction } from "./call-function.js";
import type { WorkerFunctions } from "./find-function.js";
import { sendBatches } from "./send-batches.js";
import { ServedFile } from "./served-file.js";
import { TaskBatches } from "./task-batches.js";

/** Options of a worker script of your own. */
export interface ServeOptions {
  /** Codecs for decompressing blocks. Default: the built-in LZ4, Snappy and zlib. */
  readonly codecs?: CodecSet | undefined;
  /** Functions for `WorkerPool.map` without `module`, by name. Default: none. */
  readonly functions?: WorkerFunctions | undefined;
}

/** Memory kept for the next blocks: as much as the tasks that run or wait for the consumer take. */
const KEPT = { maxBuffers: 256, maxBytes: 64 * 1024 * 1024 };

type Send = (message: OutputMessage, transfer?: ArrayBuffer[]) => void;

/**
 * Serves a pool. A worker script calls this once with its own end of the channel: `self` on the web, `parentPort` in Node.
 * Failures are sent to the pool, not thrown.
 */
export function serveScans(end: MessageEnd, { codecs, functions = {} }: ServeOptions = {}): void {
  const files = new Map<number, ServedFile>();
  const running = new Map<number, AbortController>();
  // The memory of batches goes to the consumer with them and comes back: allocating it costs a thread more than decoding into it, and
  // releasing it to the system stops all threads of the process.
  const memory = new MemoryArena(KEPT);

  /** Tasks run concurrently: one decodes while the other waits for its bytes. */
  const scan = async (message: ScanMessage): Promise<void> => {
    const { task } = message;
    const file = files.get(message.file);
    const controller = new AbortController();
    running.set(task, controller);
    let isEnded = false;
    const sendOutput: Send = (output, transfer = []) => {
      end.postMessage(output, transfer);
      isEnded ||= output.kind === "result";
    };
    const work = async () => file && runTask(file, message, memory, sendOutput, controller.signal);
    const error = await work().then(
      () => undefined,
      (cause) => (cause instanceof Thrown ? cause.toFields() : fieldsOf(cause)),
    );
    running.delete(task);
    if (!isEnded) {
      end.postMessage({ kind: "end", task, error } satisfies WorkerMessage, []);
    }
  };
  onMessage(end, (data) => {
    const message = data as PoolMessage;
    switch (message.kind) {
      case "open":
        files.set(message.file, new ServedFile(message, { codecs, functions }));
        break;
      case "scan":
        void scan(message);
        break;
      case "cancel":
        running.get(message.task)?.abort();
        break;
      case "reuse":
        memory.adopt(message.buffers);
        break;
      case "close":
        files.get(message.file)?.close();
        files.delete(message.file);
        break;
    }
  });
}

async function runTask(
  file: ServedFile,
  { task, rows }: ScanMessage,
  memory: MemoryArena,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const { scanOptions, work } = file.message;
  const reader = await file.reader();
  const arena = work.kind === "call" || work.reuseMemory ? memory.share() : undefined;
  const options = { ...scanOptions, arena, signal };
  try {
    if (work.kind === "send") {
      await sendBatches((batches, transfer) => send({ ...batches, task }, transfer), reader, rows, options);
      return;
    }
    const { input, argument } = work;
    const { from, to } = rows;
    await callFunction(
      (result) => send({ ...result, task }),
      await file.function(work),
      new TaskBatches(reader, rows, options),
      { input, rows: { from, to }, argument: argument as never, signal },
    );
  } finally {
    arena?.recycle();
  }
}
