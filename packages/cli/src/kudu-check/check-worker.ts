/** What the threads of a check run: a row set for each message, until they are ended. */
import { parentPort, workerData } from "node:worker_threads";
import { rowSetChecker } from "@cfile/kudu-dir/parts/check-row-set";
import { type KuduArguments, withKuduDir } from "../kudu-directory.js";
import { answerTasks } from "../worker-thread.js";

const port = parentPort;
if (port !== null) {
  await withKuduDir(workerData as KuduArguments, (dir) => answerTasks(port, rowSetChecker(dir)));
}
