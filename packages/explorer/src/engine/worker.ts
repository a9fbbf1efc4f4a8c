/** The worker: reads all files, so that the page never waits. */
import { isCFileError } from "@cfile/bytes";
import type { FromWorker, ToWorker } from "../protocol.js";
import { answer } from "./engine.js";
import { errorView } from "./error-view.js";
import { connectHost } from "./host-source.js";

const running = new Map<number, AbortController>();

addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  if ("host" in data) {
    connectHost(data.host);
    return;
  }
  if ("cancel" in data) {
    running.get(data.cancel)?.abort();
    return;
  }
  const { call } = data;
  const abort = new AbortController();
  running.set(call, abort);
  const send = (message: FromWorker): void => postMessage(message);
  try {
    const progress = (value: unknown): void => send({ call, progress: value });
    send({ call, result: await answer(data, { signal: abort.signal, progress }) });
  } catch (error) {
    if (!isCFileError(error) && !abort.signal.aborted) {
      console.error(error);
    }
    send({ call, error: errorView(error) });
  }
  running.delete(call);
});
