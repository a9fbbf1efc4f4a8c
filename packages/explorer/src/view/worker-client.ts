/** The page's side of the messages to the worker. */
import { isCFileError } from "@cfile/bytes";
import type { CallName, Calls, DocView, ErrorView, FromWorker } from "../protocol.js";

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

/** Properties of every pane of a document. */
export interface PaneProps {
  readonly client: WorkerClient;
  readonly doc: DocView;
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
}

interface ScriptPolicy {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

let policy: ScriptPolicy | undefined;

/** The only way to load scripts under the page's policy: from the page's own origin. */
export function trustedScript(url: URL): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("cfile-explorer", {
    createScriptURL: (text) => {
      if (new URL(text).origin !== location.origin) {
        throw new TypeError(`script of another origin: ${text}`);
      }
      return text;
    },
  });
  return policy?.createScriptURL(url.href) ?? url.href;
}

export class WorkerClient {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  private hasAnswered = false;
  /** Why the worker could not be loaded; it then answers no calls. */
  private loadError: CallError | undefined;

  constructor(script: URL) {
    this.worker = new Worker(trustedScript(script), { type: "module" });
    this.worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.receive(data));
    this.worker.addEventListener("error", ({ message }) => {
      const reason = message || "the worker cannot be loaded; reload the page";
      const error = new CallError({ code: "E_WORKER", reason, position: "" });
      this.loadError = this.hasAnswered ? undefined : error;
      for (const { reject } of this.waiting.values()) {
        reject(error);
      }
      this.waiting.clear();
    });
  }

  /** Gives the worker a port to read files from the host. */
  connect(host: MessagePort): void {
    this.worker.postMessage({ host }, [host]);
  }

  /** @throws the error of the worker, or the reason of an aborted signal */
  async call<N extends CallName, P = unknown>(
    name: N,
    argument: Calls[N][0],
    { signal, onProgress }: CallOptions<P> = {},
  ): Promise<Calls[N][1]> {
    signal?.throwIfAborted();
    if (this.loadError !== undefined) {
      throw this.loadError;
    }
    const call = this.next++;
    const cancel = (): void => {
      this.worker.postMessage({ cancel: call });
      this.waiting.get(call)?.reject(signal?.reason);
      this.waiting.delete(call);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const result = new Promise<Calls[N][1]>((resolve, reject) => {
      this.waiting.set(call, { resolve, reject, onProgress });
      this.worker.postMessage({ call, name, argument });
    });
    return result.finally(() => signal?.removeEventListener("abort", cancel));
  }

  private receive(message: FromWorker): void {
    this.hasAnswered = true;
    const waiting = this.waiting.get(message.call);
    if ("progress" in message) {
      waiting?.onProgress?.(message.progress as never);
      return;
    }
    this.waiting.delete(message.call);
    if ("error" in message) {
      waiting?.reject(new CallError(message.error));
    } else {
      waiting?.resolve(message.result as never);
    }
  }
}

export function errorText(error: unknown): string {
  if (error instanceof CallError) {
    const { code, reason, position } = error.view;
    return `${code}: ${reason}${position === "" ? "" : ` (${position})`}`;
  }
  if (isCFileError(error)) {
    return `${error.code}: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
