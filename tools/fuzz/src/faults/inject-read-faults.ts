/**
 * Injects each kind of failure at each operation of each task. The task must return the correct answer or throw
 * a typed error, and return the correct answer afterwards.
 */
import { isCFileError } from "@cfile/bytes";
import { FaultPlan, type Injection, LASTING_FAULTS, READ_FAULTS } from "./faulty-source.js";
import { type ReadingTask, readingTasks } from "./reading-tasks.js";

export interface FaultReport {
  readonly tasks: number;
  /** Failures injected and reached. */
  readonly injected: number;
  /** Failures after which the answer was still correct. */
  readonly right: number;
  readonly errors: number;
  readonly faults: readonly string[];
}

const NEVER_ENDS = 5000;
/** Reporting lost rows is also correct. */
const TOLD = "reported lost rows";

/**
 * @param many all files
 * @param every test only one of this many points
 */
export async function injectReadFaults(many: boolean, every = 1): Promise<FaultReport> {
  const faults: string[] = [];
  const counts = { injected: 0, right: 0, errors: 0 };
  const onRejection = (reason: unknown): void => {
    faults.push(`unhandled rejection: ${reason}`);
  };
  process.on("unhandledRejection", onRejection);
  const tasks = await readingTasks(many);
  try {
    for (const task of tasks) {
      await injectInto(task, counts, faults, every);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off("unhandledRejection", onRejection);
  }
  return { tasks: tasks.length, ...counts, faults };
}

type Counts = { injected: number; right: number; errors: number };

async function injectInto(task: ReadingTask, counts: Counts, faults: string[], every: number): Promise<void> {
  const plan = new FaultPlan();
  const use = await task.open(plan, plan.controller.signal);
  const whileOpening = plan.operations;
  const right = await use(plan.controller.signal);
  const operations = plan.operations;
  let point = 0;
  for (const fault of [...READ_FAULTS, ...LASTING_FAULTS]) {
    for (let at = 0; at < operations; at++) {
      if (point++ % every !== 0) {
        continue;
      }
      const injection = { at, fault };
      const failure = await inject(task, injection, right, whileOpening, counts);
      if (failure !== undefined) {
        faults.push(`${task.name}, ${fault} at operation ${at} of ${operations}: ${failure}`);
      }
    }
  }
}

async function inject(
  task: ReadingTask,
  injection: Injection,
  right: string,
  whileOpening: number,
  counts: Counts,
): Promise<string | undefined> {
  const plan = new FaultPlan();
  plan.reset(injection);
  let use: ((signal: AbortSignal) => Promise<string>) | undefined;
  let outcome: string;
  try {
    use = await soon(task.open(plan, plan.controller.signal));
    outcome = await soon(use(plan.controller.signal));
  } catch (error) {
    if (error === plan.controller.signal.reason || isCFileError(error)) {
      outcome = "error";
    } else {
      return `untyped: ${error instanceof Error ? error.stack : error}`;
    }
  }
  counts.injected += plan.struck ? 1 : 0;
  counts.right += plan.struck && outcome !== "error" ? 1 : 0;
  counts.errors += outcome === "error" ? 1 : 0;
  const changes = injection.fault === "other bytes" || injection.fault === "the file was replaced";
  const mayDiffer = changes && !task.checksums;
  const isReport = task.name.endsWith("verify") && outcome.includes('"ok":false');
  if (outcome !== "error" && outcome !== right && outcome !== TOLD && !mayDiffer && !isReport) {
    return `wrong: ${outcome.slice(0, 200)}`;
  }
  // From here on, nothing fails. A byte cache cannot detect replaced bytes, so it is opened again.
  const openedBefore = injection.at >= whileOpening && use !== undefined && !(changes && task.cached);
  plan.reset();
  const again = openedBefore && use !== undefined ? use : await soon(task.open(plan, plan.controller.signal));
  const second = await soon(again(plan.controller.signal)).catch((error: unknown) => `error: ${error}`);
  return second === right || mayDiffer ? undefined : `afterwards: ${second.slice(0, 300)}`;
}

function soon<T>(promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RangeError("waits forever")), NEVER_ENDS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
