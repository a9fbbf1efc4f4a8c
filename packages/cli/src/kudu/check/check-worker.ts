/** The script of a check thread: checks a DiskRowSet per message, several at the same time. */
import { parentPort } from "node:worker_threads";
import {
  type CheckedRowSet,
  type RowSetChecker,
  type RowSetPlace,
  rowSetChecker,
} from "@cfile/kudu-dir/check";
import { answerTasks } from "../../program/worker-thread.js";
import { type ServersValues, withKuduServers } from "../kudu-servers.js";

const port = parentPort;
if (port !== null) {
  await answerTasks<ServersValues, RowSetPlace, CheckedRowSet>(port, (settings, use) =>
    withKuduServers(settings, async ([server]) => {
      if (server !== undefined) {
        const idle: RowSetChecker[] = [];
        await use(async (place) => {
          const check = idle.pop() ?? rowSetChecker(server.dir);
          try {
            return await check(place);
          } finally {
            idle.push(check);
          }
        });
      }
    }),
  );
}
