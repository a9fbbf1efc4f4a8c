/** The command line of `pnpm interop`. */
import { parseArgs } from "node:util";
import { SYSTEMS, type SystemName } from "./report.js";

export interface InteropOptions {
  readonly systems: readonly SystemName[];
  readonly seed: number;
  readonly rounds: number;
  /** Rounds that run at the same time. */
  readonly jobs: number;
  /** Where the folders of the rounds stay. */
  readonly keep: string | undefined;
  readonly document: boolean;
  /** Whether the rounds follow those of the last report, and are added to it. */
  readonly goOn: boolean;
  /** A folder that a failed round of Kudu left. */
  readonly again: string | undefined;
  readonly findings: boolean;
  readonly updateLock: boolean;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const USAGE = `pnpm interop [--only ${SYSTEMS.join("|")}] [--seed N] [--rounds N] [--keep DIR] [--document]

  --only      one system [default: all]
  --seed      of the first round; each round has the next one [default: 1]
  --rounds    [default: 3]
  --jobs      rounds that run at the same time, one to eight; only those of Kudu gain by it [default: 1]
  --keep      leave the rounds' folders in DIR, not only those of rounds that failed
  --document  write what was found into docs/interop.md
  --continue  go on after the last seed that was documented, and add to what it found
  --again DIR  compare once more what a failed round of Kudu left in DIR; no server is started
  --findings  show what is wrong in others, by the smallest workloads and files that do
  --update-lock  take what Maven fetched as what artifacts.lock.json says

Exit code 0: all as it should be; 1: something is wrong; 77: something that is needed is missing.`;

/** @throws UsageError */
export function parseOptions(args: readonly string[]): InteropOptions {
  const values = parsed(args);
  const only = values.only;
  if (only !== undefined && !SYSTEMS.some((name) => name === only)) {
    throw new UsageError(`--only: ${only} is none of ${SYSTEMS.join(", ")}`);
  }
  return {
    systems: SYSTEMS.filter((name) => only === undefined || name === only),
    seed: wholeNumber("--seed", values.seed ?? "1"),
    rounds: wholeNumber("--rounds", values.rounds ?? "3"),
    jobs: jobsOf(values.jobs ?? "1"),
    keep: values.keep,
    document: values.document ?? false,
    goOn: values.continue ?? false,
    again: values.again,
    findings: values.findings ?? false,
    updateLock: values["update-lock"] ?? false,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: args.filter((arg) => arg !== "--"),
      options: {
        only: { type: "string" },
        seed: { type: "string" },
        rounds: { type: "string" },
        jobs: { type: "string" },
        keep: { type: "string" },
        document: { type: "boolean" },
        continue: { type: "boolean" },
        again: { type: "string" },
        findings: { type: "boolean" },
        "update-lock": { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(`${name}: ${text} is no whole number`);
  }
  return Number(text);
}

function jobsOf(text: string): number {
  const jobs = wholeNumber("--jobs", text);
  if (jobs < 1 || jobs > 8) {
    throw new UsageError(`--jobs: ${jobs} is not one to eight`);
  }
  return jobs;
}
