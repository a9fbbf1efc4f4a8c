/** What workers of all kinds have in common, and how they are listened to. */
import { CFileError } from "@cfile/bytes";
import { builtinModule } from "../worker/builtin-module.js";

/** Where messages of the other side arrive: as an event's `data` on the web, as they are in Node. */
export type MessageListeners =
  | {
      /** As an `EventTarget` has it. */
      addEventListener(type: string, listener: (event: Event) => void): unknown;
    }
  | {
      /** As an `EventEmitter` has it. */
      on(event: string, listener: (value: unknown) => void): unknown;
    };

/** One end of a channel: what a worker's own code talks to. */
export type MessageEnd = MessageListeners & {
  /** Sends a message; what is transferred is gone here. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): unknown;
};

/** A worker as its owner sees it. `Worker` of the web and of `node:worker_threads` are such. */
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

/** Calls `fail` when the worker ends, cannot be started, or sends what cannot be read. */
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
    worker.addEventListener("messageerror", () => fail("a message that cannot be read"));
  }
}

/** The worker's end of its channel; `undefined` outside a worker. */
export function ownEnd(): MessageEnd | undefined {
  const { WorkerGlobalScope } = globalThis as { WorkerGlobalScope?: abstract new () => object };
  const scope: object = globalThis;
  if (WorkerGlobalScope !== undefined && scope instanceof WorkerGlobalScope) {
    return scope as MessageEnd;
  }
  return builtinModule("node:worker_threads")?.parentPort ?? undefined;
}

/**
 * A worker that runs this package's `worker.js`.
 *
 * @throws CFileError `E_UNSUPPORTED` where there are no workers
 */
export function startWorker(): WorkerLike {
  // Bundlers recognise just this expression.
  if (typeof Worker === "function") {
    return new Worker(new URL("../worker.js", import.meta.url), { type: "module" });
  }
  const threads = builtinModule("node:worker_threads");
  if (threads === undefined) {
    throw new CFileError("E_UNSUPPORTED", "there are no workers here", { field: "createWorker" });
  }
  return new threads.Worker(new URL("../worker.js", import.meta.url));
}

/** Cores that this program may use, as far as that can be known; at least 1. */
export function availableCores(): number {
  const host = globalThis as { navigator?: { hardwareConcurrency?: number } };
  return builtinModule("node:os")?.availableParallelism() ?? host.navigator?.hardwareConcurrency ?? 1;
}
