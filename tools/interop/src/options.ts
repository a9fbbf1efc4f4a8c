/** The command line of `pnpm interop`. */
import { parseArgs } from "node:util";
import { KUDU_VERSIONS, type KuduVersion } from "./artifacts.js";
import { SYSTEMS, type SystemName } from "./report.js";

/** Systems whose rounds start several servers; they run only on request. */
const LONG: readonly SystemName[] = ["cluster", "hbase-table", "hudi-table", "iceberg"];

export interface InteropOptions {
  readonly systems: readonly SystemName[];
  readonly seed: number;
  readonly rounds: number;
  /** Number of rounds that run at the same time. */
  readonly jobs: number;
  /** Folder in which the folders of the rounds are kept. */
  readonly keep: string | undefined;
  readonly document: boolean;
  /** Whether to continue after the rounds of the last report and add to it. */
  readonly goOn: boolean;
  /** The folder of a failed round. */
  readonly again: string | undefined;
  readonly findings: boolean;
  readonly updateLock: boolean;
  /** The version of Kudu in clusters; default: a different one in each round. */
  readonly kudu: KuduVersion | undefined;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const USAGE = `pnpm interop [--only ${SYSTEMS.join("|")}] [--seed N] [--rounds N] [--keep DIR] [--document]

  --only      one system [default: all but ${LONG.join(", ")}]
  --seed      seed of the first round; the next round has the next seed [default: 1]
  --rounds    number of rounds [default: 3]
  --jobs      rounds to run at the same time, 1 to 8; useful only for Kudu [default: 1]
  --keep      keep the folders of all rounds in DIR, not only of failed ones
  --document  write the results to docs/interop.md
  --continue  continue after the last documented seed, and add to its results
  --kudu      version of Kudu in clusters: ${KUDU_VERSIONS.join(", ")} [default: another one in each round]
  --again DIR  compare the data of a failed round of Kudu, a cluster or a Hudi table in DIR again, without a server
  --findings  show bugs in other systems, with the smallest workloads and files
  --update-lock  write the hashes of the files that Maven fetched to artifacts.lock.json

Exit codes: 0 passed; 1 failed; 77 a requirement is missing.`;

/** @throws UsageError */
export function parseOptions(args: readonly string[]): InteropOptions {
  const values = parsed(args);
  const only = values.only;
  if (only !== undefined && !SYSTEMS.some((name) => name === only)) {
    throw new UsageError(`--only: unknown system ${only} (must be one of ${SYSTEMS.join(", ")})`);
  }
  return {
    systems: SYSTEMS.filter((name) => (only === undefined ? !LONG.includes(name) : name === only)),
    seed: wholeNumber("--seed", values.seed ?? "1"),
    rounds: wholeNumber("--rounds", values.rounds ?? "3"),
    jobs: jobsOf(values.jobs ?? "1"),
    keep: values.keep,
    document: values.document ?? false,
    goOn: values.continue ?? false,
    again: values.again,
    findings: values.findings ?? false,
    updateLock: values["update-lock"] ?? false,
    kudu: versionOf(values.kudu),
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
        kudu: { type: "string" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function versionOf(text: string | undefined): KuduVersion | undefined {
  const version = KUDU_VERSIONS.find((one) => one === text);
  if (text !== undefined && version === undefined) {
    throw new UsageError(`--kudu: unknown version ${text} (must be one of ${KUDU_VERSIONS.join(", ")})`);
  }
  return version;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(`invalid ${name}: ${text} (must be an integer)`);
  }
  return Number(text);
}

function jobsOf(text: string): number {
  const jobs = wholeNumber("--jobs", text);
  if (jobs < 1 || jobs > 8) {
    throw new UsageError(`invalid --jobs: ${jobs} (must be 1 to 8)`);
  }
  return jobs;
}
