/** Compares a job, its ledger and its files with the export of the same source by one process. */
import { join } from "node:path";
import { icebergFolder, readLedger, type Spark, type SubmittedJob, submitJob } from "./spark-cluster.js";
import { digestsOfResult, linesOfFiles, linesOfResult, rowsOf } from "./table-rows.js";

export interface ComparedJob extends Omit<SubmittedJob, "output"> {
  /** The Parquet file written by a single process. */
  readonly single: string;
  /** Whether the result is a table of the catalog {@link icebergSettings}. */
  readonly isIceberg?: boolean;
}

export interface JobComparison {
  readonly splits: number;
  readonly rows: number;
  /** Retries of splits. */
  readonly retries: number;
  readonly killed: number;
  /** SHA-256 of each file of the result. */
  readonly digests: ReadonlyMap<string, string>;
  readonly failures: readonly string[];
}

/** @throws if the job produces no result */
export async function compareJob(spark: Spark, folder: string, job: ComparedJob): Promise<JobComparison> {
  const whole = job.isIceberg ? icebergFolder(folder, job.table) : join(folder, job.table);
  const { code, killed, log } = await submitJob(spark, folder, { ...job, output: whole });
  if (code !== 0) {
    throw new Error(`${job.table}: the application exited with ${code}, see ${log}`);
  }
  const output = job.isIceberg ? join(whole, "data") : whole;
  const { splits, rows, rowsLost, failed, retries, results } = await readLedger(output);
  const wanted = rowsOf(await linesOfFiles([job.single]));
  const found = rowsOf(await linesOfResult(output));
  const digests = await digestsOfResult(output);
  const failures: string[] = [];
  const expect = (what: string, expected: unknown, actual: unknown): void => {
    if (expected !== actual) {
      failures.push(`${job.table}: ${what}: expected ${expected}, found ${actual}; ${log}`);
    }
  };
  expect("rows of the files", wanted.rows, found.rows);
  expect("digest of the sorted rows", wanted.digest, found.digest);
  expect("rows in the ledger", wanted.rows, rows);
  expect("rows lost and splits failed", "0, 0", `${rowsLost}, ${failed}`);
  expect("results in the ledger", splits, results.length);
  expect(
    "files in the ledger",
    [...digests.keys()].join(),
    results
      .map(({ file }) => file)
      .sort()
      .join(),
  );
  expect("executors killed", job.killAfter === undefined ? 0 : 1, killed);
  if (job.killAfter !== undefined) {
    expect("that splits were retried", true, retries > 0);
  }
  return { splits, rows, retries, killed, digests, failures };
}
