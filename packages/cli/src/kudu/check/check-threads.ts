/** Row sets checked by several threads. */
import type { KuduDir } from "@cfile/kudu-dir";
import type { CheckedRowSet, CheckedSize, RowSetChecker, RowSetPlace } from "@cfile/kudu-dir/check";
import { rowSetChecker } from "@cfile/kudu-dir/check";
import { jobsOf } from "../../options/jobs.js";
import { WorkerThread } from "../../program/worker-thread.js";
import type { KuduArguments } from "../kudu-directory.js";

/** A thread takes longer to begin than less than this takes to check. */
const BYTES_A_THREAD = 1 << 26;

export interface CheckSettings extends KuduArguments {
  readonly jobs: string | undefined;
}

/**
 * Checks with this thread, and others that have the directories open as well, for as long as `work` runs. Others have their first
 * answer later than this one; the work is shared out as they get on with it.
 */
export async function withCheckers<T>(
  dir: KuduDir,
  { dirs, historyMaxAge, jobs, serverKey }: CheckSettings,
  signal: AbortSignal | undefined,
  work: (checkers: (size: CheckedSize) => readonly RowSetChecker[]) => Promise<T>,
): Promise<T> {
  const script = new URL("./check-worker.js", import.meta.url);
  const settings: KuduArguments = { dirs, serverKey, historyMaxAge };
  const threads: WorkerThread<RowSetPlace, CheckedRowSet>[] = [];
  const checkers = ({ bytes, rowSets }: CheckedSize): readonly RowSetChecker[] => {
    const pieces = Math.min(rowSets, Math.ceil(bytes / BYTES_A_THREAD));
    for (let others = jobsOf(jobs, pieces) - 1; others > 0; others--) {
      threads.push(new WorkerThread(script, settings, signal));
    }
    // While this thread waits for one of its row sets, there is something to do for the other.
    return [
      rowSetChecker(dir),
      rowSetChecker(dir),
      ...threads.map(
        (thread): RowSetChecker =>
          (place) =>
            thread.ask(place),
      ),
    ];
  };
  try {
    return await work(checkers);
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}
