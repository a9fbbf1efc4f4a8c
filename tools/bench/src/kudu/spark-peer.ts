/** Spark's own read of a running Kudu as a peer: `kudu-spark3` in a local Spark with all cores. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { kuduSparkCommand, MissingError } from "@cfile-tools/interop/kudu";
import { WrongAnswer } from "../measure.js";

const TIMES = 3;
/** A tablet is read by several tasks. */
const SPLIT_BYTES = 32 << 20;

export interface SparkExport {
  readonly masterAddress: string;
  readonly table: string;
  readonly rows: number;
  /** Folder for its output and its own files. */
  readonly folder: string;
}

/**
 * The milliseconds of an export to Parquet in a running session, without its start: the fastest of several. A
 * note if Spark is not available here.
 */
export async function sparkExport(job: SparkExport): Promise<number | { readonly note: string }> {
  const { masterAddress, table, rows, folder } = job;
  let command: readonly string[];
  try {
    command = await kuduSparkCommand();
  } catch (error) {
    if (error instanceof MissingError) {
      return { note: `missing: Spark with kudu-spark3 (${error.message})` };
    }
    throw error;
  }
  const [java = "", ...options] = command;
  const args = [masterAddress, table, `${folder}/table`, TIMES, SPLIT_BYTES, `${folder}/own`].map(String);
  const { stdout } = await promisify(execFile)(java, [...options, ...args]);
  const runs = [...stdout.matchAll(/^(\d+) rows in (\d+) ms$/gm)];
  if (runs.length !== TIMES || runs.some(([, count]) => Number(count) !== rows)) {
    throw new WrongAnswer(`Spark: ${stdout.slice(-1000)}`);
  }
  return Math.min(...runs.map(([, , milliseconds]) => Number(milliseconds)));
}
