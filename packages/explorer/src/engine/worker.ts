/** The worker: everything that reads files happens here, so that the page never waits. */
import { isCFileError } from "@cfile/bytes";
import type { FromWorker, ToWorker } from "../protocol.js";
import { Engine } from "./engine.js";
import { errorView } from "./error-view.js";

const engine = new Engine();
const running = new Map<number, AbortController>();

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if ("cancel" in data) {
    running.get(data.cancel)?.abort();
    return;
  }
  const { call, name, argument } = data;
  const abort = new AbortController();
  running.set(call, abort);
  const tell = (message: FromWorker): void => postMessage(message);
  engine
    .answer(name, argument, { signal: abort.signal, progress: (progress) => tell({ call, progress }) })
    .then(
      (result) => tell({ call, result }),
      (error) => {
        if (!isCFileError(error) && !abort.signal.aborted) {
          console.error(error);
        }
        tell({ call, error: errorView(error) });
      },
    )
    .finally(() => running.delete(call));
});
