import { builtinModule } from "@cfile/bytes";

/**
 * The promise, or a rejection with the signal's reason as soon as it is aborted.
 *
 * @param onAbort called when the signal is aborted before the promise settles
 */
export function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort?: () => void,
): Promise<T> {
  if (signal === undefined) {
    return promise;
  }
  // The requests of a scan share its signal; Node would warn of a leak.
  const events = builtinModule<{ "node:events": typeof import("node:events") }, "node:events">("node:events");
  events?.setMaxListeners(0, signal);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason);
      onAbort?.();
    };
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
