/** The script of a check thread: checks a DiskRowSet per message. */
import { parentPort } from "node:worker_threads";
import { type CheckedRowSet, type RowSetPlace, rowSetChecker } from "@cfile/kudu-dir/check";
import { answerTasks } from "../../program/worker-thread.js";
import { type ServersValues, withKuduServers } from "../kudu-servers.js";

const port = parentPort;
if (port !== null) {
  await answerTasks<ServersValues, RowSetPlace, CheckedRowSet>(port, (settings, use) =>
    withKuduServers(settings, async ([server]) => {
      if (server !== undefined) {
        await use(rowSetChecker(server.dir));
      }
    }),
  );
}
