// Reads copies of an IPC input with one byte changed, in a thread whose memory the test limits.
import { parentPort, workerData } from "node:worker_threads";
import { apacheArrow } from "@cfile/arrow/apache";

const { ipc, changes, rowCount } = workerData;
const apache = await apacheArrow();
const outcome = { refused: 0, read: 0, wrong: [] };

async function countRows(bytes) {
  const { rows } = await apache.readIpc(bytes);
  let count = 0;
  for await (const { length, columns } of rows) {
    count += length;
    for (const column of columns) {
      column.toArray();
    }
  }
  return count;
}

// Capturing a stack for each of the many errors would take most of the time.
Error.stackTraceLimit = 0;
const bytes = ipc.slice();
for (const [at, before] of ipc.entries()) {
  for (const change of changes) {
    bytes[at] = before ^ change;
    try {
      const count = await countRows(bytes);
      outcome.read++;
      if (count !== rowCount) {
        outcome.wrong.push(`byte ${at} ${before} → ${bytes[at]}: ${count} rows`);
      }
    } catch (error) {
      outcome.refused++;
      if (error?.name !== "CFileError") {
        outcome.wrong.push(`byte ${at} ${before} → ${bytes[at]}: ${error}`);
      }
    }
  }
  bytes[at] = before;
}
parentPort.postMessage(outcome);
