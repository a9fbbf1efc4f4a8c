/** Checks DiskRowSets with several threads. */
import { setImmediate } from "node:timers/promises";
import type { KuduDir } from "@cfile/kudu-dir";
import type { CheckedRowSet, CheckedSize, RowSetChecker, RowSetPlace } from "@cfile/kudu-dir/check";
import { rowSetChecker } from "@cfile/kudu-dir/check";
import { expectLongRun } from "../../program/engine-limits.js";
import { threadCount, WorkerThread } from "../../program/worker-thread.js";
import type { ServerValues } from "../kudu-directory.js";
import { type ServersValues, serverName } from "../kudu-servers.js";

/** For fewer bytes, a thread costs more than it gains because it compiles the code again (npm run bench -- --only two-workers). */
const MIN_THREAD_BYTES = 1 << 28;

export interface CheckSettings extends ServerValues {
  readonly jobs: number | undefined;
}

/**
 * Checks with this thread, and with other threads that open the directories themselves, for as long as `work` runs. A thread takes
 * the next DiskRowSet when it has finished one.
 */
export async function withCheckers<T>(
  dir: KuduDir,
  { dirs, historyMaxAge, jobs, serverKey }: CheckSettings,
  signal: AbortSignal | undefined,
  work: (checkers: (size: CheckedSize) => readonly RowSetChecker[]) => Promise<T>,
): Promise<T> {
  const script = new URL("./check-worker.js", import.meta.url);
  const settings: ServersValues = { dirs, serverKey, historyMaxAge, server: serverName(dir) };
  const threads: WorkerThread<ServersValues, RowSetPlace, CheckedRowSet>[] = [];
  const checkers = ({ bytes, rowSets }: CheckedSize): readonly RowSetChecker[] => {
    const pieces = Math.min(rowSets, Math.ceil(bytes / MIN_THREAD_BYTES));
    if (pieces > 1) {
      expectLongRun();
    }
    for (let count = threadCount(jobs, pieces) - 1; count > 0; count--) {
      const thread = new WorkerThread<ServersValues, RowSetPlace, CheckedRowSet>(script, signal);
      thread.begin(settings);
      threads.push(thread);
    }
    const others = threads.map(
      (thread): RowSetChecker =>
        (place) =>
          thread.ask(place),
    );
    // Several checks at a time, so that one runs while another waits for its file. The other threads also wait until this one, which
    // may be reading, gives them their next DiskRowSet.
    return others.length === 0
      ? [ownChecker(dir), ownChecker(dir)]
      : [ownChecker(dir), ...others, ...others, ...others];
  };
  try {
    return await work(checkers);
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

/** Reads block this thread, so it lets the results of other threads in after each DiskRowSet: those threads wait for their next one. */
function ownChecker(dir: KuduDir): RowSetChecker {
  const check = rowSetChecker(dir);
  return async (place) => {
    const checked = await check(place);
    await setImmediate();
    return checked;
  };
}
