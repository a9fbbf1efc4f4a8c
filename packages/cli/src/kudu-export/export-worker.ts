/** What the threads of an export run: a part for each message, until they are ended. */
import { parentPort, workerData } from "node:worker_threads";
import { isCFileError } from "@cfile/bytes";
import { CliContext } from "../context.js";
import { processIo } from "../io.js";
import { withKuduDir } from "../kudu-directory.js";
import { accountJson } from "./account-json.js";
import type { ExportSettings } from "./export-settings.js";
import type { UnitAnswer, UnitTask } from "./run-units.js";
import { writeUnit } from "./write-unit.js";

const port = parentPort;
if (port !== null) {
  const settings = workerData as ExportSettings;
  const context = new CliContext(processIo(), false);
  const answer = (message: UnitAnswer): void => port.postMessage(message);
  await withKuduDir(
    settings,
    (dir) =>
      new Promise<void>((_, fail) => {
        const write = async ({ unit, path, salvage }: UnitTask): Promise<void> => {
          const onRows = (rows: number): void => answer({ kind: "progress", rows });
          const { rows, accounts } = await writeUnit(context, dir, settings, unit, path, salvage, onRows);
          answer({ kind: "done", rows, accounts: accounts.map(accountJson) });
        };
        port.on("message", (task: UnitTask) => {
          write(task).catch((error: unknown) => {
            if (isCFileError(error)) {
              answer({ kind: "failed", error: { ...error.toJSON(), reason: error.reason } });
            } else {
              fail(error);
            }
          });
        });
      }),
  );
}
