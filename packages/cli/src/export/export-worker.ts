/** The script of an export thread: writes a part per message, and at the end what it has kept in memory. */
import { parentPort } from "node:worker_threads";
import { CliContext } from "../program/context.js";
import { processIo } from "../program/io.js";
import { answerTasks, inTurn } from "../program/worker-thread.js";
import type { PartReport } from "./export-parts.js";
import { type PartSettings, withPartSource } from "./part-source.js";
import { type PartTask, writePart } from "./write-part.js";

const port = parentPort;
if (port !== null) {
  const context = new CliContext(processIo(), false);
  await answerTasks<PartSettings, PartTask | "finish", PartReport | undefined, number>(
    port,
    (settings, use) =>
      withPartSource(context, settings, (source) => {
        // The parts share their memory.
        return use(
          inTurn(async (task, onRows) => {
            if (task === "finish") {
              await source.joined?.finish();
              return undefined;
            }
            return writePart(context, source, settings, task, onRows);
          }),
        );
      }),
  );
}
