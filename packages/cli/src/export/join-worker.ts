/** The script of the thread that joins parts: each task names the next part, and the last one says whether the file is kept. */
import { parentPort } from "node:worker_threads";
import type { ByteSource } from "@cfile/io";
import { fileSink, fileSource } from "@cfile/io/file";
import { joinParquet } from "@cfile/parquet/write";
import { answerTasks } from "../program/worker-thread.js";
import type { JoinTask } from "./early-join.js";

/** Ends a file that is not kept. */
class Abandoned extends Error {}

const port = parentPort;
if (port !== null) {
  await answerTasks<string, JoinTask, void>(port, async (target, use) => {
    const tasks: JoinTask[] = [];
    let wake = (): void => undefined;
    async function* parts(): AsyncGenerator<ByteSource, void, void> {
      for (;;) {
        const task = tasks.shift();
        if (task === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        } else if ("part" in task) {
          const source = await fileSource(task.part, { blocking: true });
          try {
            yield source;
          } finally {
            await source.close?.();
          }
        } else if (task.isKept) {
          return;
        } else {
          throw new Abandoned();
        }
      }
    }
    const joined = fileSink(target, { blocking: true }).then((sink) => joinParquet(sink, parts()));
    // The last task reports the error.
    joined.catch(() => undefined);
    await use(async (task) => {
      tasks.push(task);
      wake();
      if ("isKept" in task) {
        await joined.catch((error: unknown) => {
          if (task.isKept) {
            throw error;
          }
        });
      }
    });
  });
}
