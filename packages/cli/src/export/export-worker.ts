/** The script of an export thread: writes a part per message. */
import { parentPort, workerData } from "node:worker_threads";
import { CliContext } from "../program/context.js";
import { processIo } from "../program/io.js";
import { answerTasks } from "../program/worker-thread.js";
import type { PartReport } from "./export-parts.js";
import { type PartSettings, withPartSource } from "./part-source.js";
import { type PartTask, writePart } from "./write-part.js";

const port = parentPort;
if (port !== null) {
  const settings = workerData as PartSettings;
  const context = new CliContext(processIo(), false);
  await withPartSource(context, settings, (source) =>
    answerTasks<PartTask, PartReport | undefined, number>(port, (task, onRows) =>
      writePart(context, source, settings, task, onRows),
    ),
  );
}
