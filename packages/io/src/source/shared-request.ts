import { untilAborted } from "./until-aborted.js";

/**
 * One request for all callers that need its response, which is cached. It is aborted when all of them have aborted; after a failure
 * or an abort, the next caller sends it again.
 *
 * @returns the response; fails like `send`, or with the reason of the caller's signal as soon as it is aborted
 */
export function sharedRequest<T>(
  send: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal | undefined) => Promise<T> {
  let current: { readonly answer: Promise<T>; readonly abort: () => void; waiting: number } | undefined;
  const start = () => {
    const controller = new AbortController();
    const running = { answer: send(controller.signal), abort: () => controller.abort(), waiting: 0 };
    running.answer.catch(() => forget(running));
    return running;
  };
  const forget = (running: typeof current): void => {
    if (current === running) {
      current = undefined;
    }
  };
  return (signal) => {
    if (signal?.aborted === true) {
      return Promise.reject(signal.reason);
    }
    current ??= start();
    const running = current;
    running.waiting++;
    return untilAborted(running.answer, signal, () => {
      if (--running.waiting === 0) {
        forget(running);
        running.abort();
      }
    });
  };
}
