/** The script of an export thread: writes a part per message. */
import { parentPort, workerData } from "node:worker_threads";
import { CliContext } from "../../program/context.js";
import { processIo } from "../../program/io.js";
import { answerTasks } from "../../program/worker-thread.js";
import { withKuduDir } from "../kudu-directory.js";
import type { PartReport } from "./export-parts.js";
import { type PartSettings, type PartTask, PartWriter } from "./write-part.js";

const port = parentPort;
if (port !== null) {
  const settings = workerData as PartSettings;
  await withKuduDir(settings, (dir) => {
    const writer = new PartWriter(new CliContext(processIo(), false), dir, settings);
    return answerTasks<PartTask, PartReport | undefined, number>(port, (task, onRows) =>
      writer.write(task, onRows),
    );
  });
}
