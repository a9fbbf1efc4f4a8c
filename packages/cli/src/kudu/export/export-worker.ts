/** The script of an export thread: writes a part per message. */
import { parentPort, workerData } from "node:worker_threads";
import { CliContext } from "../../program/context.js";
import { processIo } from "../../program/io.js";
import { answerTasks } from "../../program/worker-thread.js";
import { withKuduTables } from "../cluster/cluster-directories.js";
import type { PartReport } from "./export-parts.js";
import { type PartSettings, type PartTask, writePart } from "./write-part.js";

const port = parentPort;
if (port !== null) {
  const settings = workerData as PartSettings;
  const context = new CliContext(processIo(), false);
  await withKuduTables(settings, (dir) =>
    answerTasks<PartTask, PartReport | undefined, number>(port, (task, onRows) =>
      writePart(context, dir, settings, task, onRows),
    ),
  );
}
