/** Workers of the web and of Node. */
import { builtinModule, CFileError } from "@cfile/bytes";

interface NodeModules {
  readonly "node:os": typeof import("node:os");
  readonly "node:worker_threads": typeof import("node:worker_threads");
}

const threads = () => builtinModule<NodeModules, "node:worker_threads">("node:worker_threads");

/** Where messages arrive: on the web as the `data` of an event, in Node directly. */
export type MessageListeners =
  | {
      /** Like an `EventTarget`. */
      addEventListener(type: string, listener: (event: Event) => void): unknown;
    }
  | {
      /** Like an `EventEmitter`. */
      on(event: string, listener: (value: unknown) => void): unknown;
    };

/** One end of a channel, such as that of a worker script. */
export type MessageEnd = MessageListeners & {
  /** Sends a message; the sender loses transferred buffers. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): unknown;
};

/** A worker as its owner sees it, such as a `Worker` of the web or of `node:worker_threads`. */
export type WorkerLike = MessageEnd & {
  /** Stops the worker at once. */
  terminate(): unknown;
};

/** Calls `receive` with each message. */
export function onMessage(end: MessageListeners, receive: (message: unknown) => void): void {
  if ("on" in end) {
    end.on("message", receive);
  } else {
    end.addEventListener("message", (event) => receive((event as MessageEvent).data));
  }
}

/** Calls `fail` when the worker ends, cannot be started, or sends an unreadable message. */
export function onFailure(worker: WorkerLike, fail: (cause: unknown) => void): void {
  if ("on" in worker) {
    worker.on("error", fail);
    worker.on("messageerror", fail);
    worker.on("exit", (status) => fail(`exit status ${status}`));
  } else {
    worker.addEventListener("error", (event) => {
      const { error, message } = event as ErrorEvent;
      fail(error ?? message);
    });
    worker.addEventListener("messageerror", () => fail("unreadable message"));
  }
}

/** The worker's end of its channel; `undefined` outside a worker. */
export function ownEnd(): MessageEnd | undefined {
  const { WorkerGlobalScope } = globalThis as { WorkerGlobalScope?: abstract new () => object };
  const scope: object = globalThis;
  return WorkerGlobalScope !== undefined && scope instanceof WorkerGlobalScope
    ? (scope as MessageEnd)
    : (threads()?.parentPort ?? undefined);
}

/**
 * A worker that runs this package's `worker.js`.
 *
 * @throws {CFileError} `E_UNSUPPORTED` where there are no workers
 */
export function startWorker(): WorkerLike {
  // Bundlers recognize exactly this expression.
  if (typeof Worker === "function") {
    return new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
  }
  const node = threads();
  if (node === undefined) {
    throw new CFileError("E_UNSUPPORTED", "this runtime has no workers", { field: "createWorker" });
  }
  return new node.Worker(new URL("../worker.js", import.meta.url));
}

/** Number of cores that this program may use, at least 1; 1 if unknown. */
export function availableCores(): number {
  const host = globalThis as { navigator?: { hardwareConcurrency?: number } };
  const cores = builtinModule<NodeModules, "node:os">("node:os")?.availableParallelism();
  return cores ?? host.navigator?.hardwareConcurrency ?? 1;
}
