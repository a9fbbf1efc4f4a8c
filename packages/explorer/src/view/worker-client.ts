/** The page's side of the talk with the worker. */
import type { CallName, Calls, ErrorView, FromWorker } from "../protocol.js";

/** What went wrong in the worker. */
class CallError extends Error {
  readonly view: ErrorView;

  constructor(view: ErrorView) {
    super(view.reason);
    this.name = view.code;
    this.view = view;
  }
}

export interface CallOptions<P = unknown> {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: P) => void) | undefined;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
}

/** Scripts are loaded from here only by this policy: the names of the page's own files. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string;
  };
}

export function trustedScript(url: URL): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("cfile-explorer", {
    createScriptURL: (text) => {
      if (new URL(text).origin !== location.origin) {
        throw new TypeError("scripts come from the page's own place only");
      }
      return text;
    },
  });
  return policy?.createScriptURL(url.href) ?? url.href;
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

export class WorkerClient {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  constructor(script: URL) {
    this.worker = new Worker(trustedScript(script), { type: "module" });
    this.worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.receive(data));
    this.worker.addEventListener("error", ({ message }) => {
      for (const { reject } of this.waiting.values()) {
        reject(new CallError({ code: "E_WORKER", reason: message || "the worker has failed", place: "" }));
      }
      this.waiting.clear();
    });
  }

  call<N extends CallName, P = unknown>(
    name: N,
    argument: Calls[N][0],
    { signal, onProgress }: CallOptions<P> = {},
  ): Promise<Calls[N][1]> {
    const call = this.next++;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const cancel = (): void => {
        this.worker.postMessage({ cancel: call });
        this.waiting.delete(call);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      const done = (): void => signal?.removeEventListener("abort", cancel);
      this.waiting.set(call, {
        resolve: (result) => {
          done();
          resolve(result as Calls[N][1]);
        },
        reject: (error) => {
          done();
          reject(error);
        },
        onProgress,
      });
      this.worker.postMessage({ call, name, argument });
    });
  }

  private receive(message: FromWorker): void {
    const waiting = this.waiting.get(message.call);
    if (waiting === undefined) {
      return;
    }
    if ("progress" in message) {
      waiting.onProgress?.(message.progress as never);
      return;
    }
    this.waiting.delete(message.call);
    if ("error" in message) {
      waiting.reject(new CallError(message.error));
    } else {
      waiting.resolve(message.result);
    }
  }
}

export function errorText(error: unknown): string {
  if (error instanceof CallError) {
    const { code, reason, place } = error.view;
    return `${code}: ${reason}${place === "" ? "" : ` (${place})`}`;
  }
  return error instanceof Error ? error.message : String(error);
}

export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
