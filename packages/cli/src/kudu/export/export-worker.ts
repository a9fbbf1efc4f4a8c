/** What the threads of an export run: a part for each message, until they are ended. */
import { parentPort, workerData } from "node:worker_threads";
import { CliContext } from "../../program/context.js";
import { processIo } from "../../program/io.js";
import { answerTasks } from "../../program/worker-thread.js";
import { withKuduDir } from "../kudu-directory.js";
import { accountJson } from "./account-json.js";
import type { ExportSettings } from "./export-settings.js";
import type { UnitTask, WrittenUnit } from "./run-units.js";
import { writeUnit } from "./write-unit.js";

const port = parentPort;
if (port !== null) {
  const settings = workerData as ExportSettings;
  const context = new CliContext(processIo(), false);
  await withKuduDir(settings, (dir) =>
    answerTasks<UnitTask, WrittenUnit, number>(port, async ({ unit, path, salvage }, onRows) => {
      const { rows, accounts } = await writeUnit(context, dir, settings, unit, path, salvage, onRows);
      return { rows, accounts: accounts.map(accountJson) };
    }),
  );
}
