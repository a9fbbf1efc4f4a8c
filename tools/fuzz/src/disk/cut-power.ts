/**
 * Cuts the power after every operation of every writer, and makes every operation fail once. Either the whole
 * file or the previous one must remain.
 */
import { equalBytes, isCFileError } from "@cfile/bytes";
import { afterPowerCut, DISKS, type DiskFault, type DiskKind, SimulatedDisk } from "./simulated-disk.js";
import { TARGET, WRITING_TASKS, type WritingTask } from "./writing-tasks.js";

export interface PowerCutReport {
  readonly task: string;
  /** Points at which the power was cut, each with four kinds of disk. */
  readonly points: number;
  /** Operations that failed, each in four ways. */
  readonly failures: number;
  readonly faults: readonly string[];
}

const OLD = Uint8Array.of(111, 108, 100);
const WAYS: readonly DiskFault[] = ["EIO", "ENOSPC", "writes half and fails", "writes nothing"];
const NEVER_ENDS = 5000;
/**
 * @param points minimum number of power cuts per task, if it has as many operations
 * @param places approximate number of failing operations per task
 */
export async function cutPower(
  points: number,
  places = 40,
  tasks: readonly WritingTask[] = WRITING_TASKS,
  onTask?: (line: string) => void,
): Promise<PowerCutReport[]> {
  const reports: PowerCutReport[] = [];
  for (const [i, task] of tasks.entries()) {
    const report = await cutTask(task, points, places, i % 2 === 1);
    onTask?.(`${task.name}: ${report.points} places, ${report.faults.length} faults`);
    reports.push(report);
  }
  return reports;
}

async function cutTask(
  task: WritingTask,
  wanted: number,
  places: number,
  exists: boolean,
): Promise<PowerCutReport> {
  const faults: string[] = [];
  const disk = new SimulatedDisk({ exists });
  await disk.use(() => task.write(wanted));
  const { operations } = disk;
  const before = new Map(exists ? [[TARGET, OLD]] : []);
  const whole = afterPowerCut(operations, before, "keeps only what was synced").get(TARGET);
  if (whole === undefined || !(await task.isRight(whole, wanted))) {
    faults.push("the whole file has wrong content");
  }
  const isExpected = (left: Uint8Array | undefined): boolean =>
    left === undefined
      ? !exists
      : (exists && equalBytes(left, OLD)) || (whole !== undefined && equalBytes(left, whole));
  let points = 0;
  // From the last write to the end, every operation matters; before that, the points are evenly spaced.
  const step = Math.max(1, Math.floor(operations.length / wanted));
  for (let cut = 0; cut <= operations.length; cut += cut < operations.length - 40 ? step : 1) {
    points++;
    for (const kind of Object.keys(DISKS) as DiskKind[]) {
      if (!isExpected(afterPowerCut(operations.slice(0, cut), before, kind).get(TARGET))) {
        faults.push(`after ${cut} of ${operations.length} operations, a disk that ${kind} has half a file`);
      }
    }
  }
  const { failures, problems } = await failOperations(
    task,
    { wanted, places, exists },
    operations.length,
    isExpected,
  );
  return { task: task.name, points, failures, faults: [...faults, ...problems] };
}

async function failOperations(
  task: WritingTask,
  { wanted, places, exists }: { readonly wanted: number; readonly places: number; readonly exists: boolean },
  operations: number,
  isExpected: (left: Uint8Array | undefined) => boolean,
): Promise<{ failures: number; problems: string[] }> {
  const problems: string[] = [];
  let failures = 0;
  const before = new Map(exists ? [[TARGET, OLD]] : []);
  const step = Math.max(1, Math.floor(operations / places));
  for (let at = 0; at < operations; at += at < operations - 6 ? step : 1) {
    for (const kind of WAYS) {
      const disk = new SimulatedDisk({ exists, fault: { at, kind } });
      const what = `${kind} at operation ${at} of ${operations}`;
      failures++;
      const outcome = await soon(disk.use(() => task.write(wanted))).then(
        () => "done",
        (error: unknown) => (isCFileError(error) ? "refused" : `untyped: ${error}`),
      );
      const left = afterPowerCut(disk.operations, before, "keeps everything");
      const others = [...left.keys()].filter((name) => name !== TARGET);
      if (outcome.startsWith("untyped") || !isExpected(left.get(TARGET)) || others.length > 0) {
        problems.push(`${what}: ${outcome}, remaining files: ${[...left.keys()].join(", ")}`);
      }
    }
  }
  return { failures, problems };
}

function soon<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RangeError("waits forever")), NEVER_ENDS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
