/** The script of a check thread: checks a DiskRowSet per message. */
import { parentPort, workerData } from "node:worker_threads";
import { rowSetChecker } from "@cfile/kudu-dir/check";
import { answerTasks } from "../../program/worker-thread.js";
import { type ServersValues, withKuduServers } from "../kudu-servers.js";

const port = parentPort;
if (port !== null) {
  await withKuduServers(workerData as ServersValues, async ([server]) => {
    if (server !== undefined) {
      await answerTasks(port, rowSetChecker(server.dir));
    }
  });
}
