/** The script of a check thread: checks a DiskRowSet per message. */
import { parentPort, workerData } from "node:worker_threads";
import { rowSetChecker } from "@cfile/kudu-dir/check";
import { answerTasks } from "../../program/worker-thread.js";
import { type ServerValues, withKuduDir } from "../kudu-directory.js";

const port = parentPort;
if (port !== null) {
  await withKuduDir(workerData as ServerValues, (dir) => answerTasks(port, rowSetChecker(dir)));
}
