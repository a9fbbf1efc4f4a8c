/** What the threads of a check run: a row set for each message, until they are ended. */
import { parentPort, workerData } from "node:worker_threads";
import { rowSetChecker } from "@cfile/kudu-dir/check";
import { answerTasks } from "../../program/worker-thread.js";
import { type KuduArguments, withKuduDir } from "../kudu-directory.js";

const port = parentPort;
if (port !== null) {
  await withKuduDir(workerData as KuduArguments, (dir) => answerTasks(port, rowSetChecker(dir)));
}
