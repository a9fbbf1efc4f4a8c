/** Runs shards in a separate thread, so that the main thread can terminate cases that hang. */
import { parentPort, workerData } from "node:worker_threads";
import { HARNESSES } from "./harnesses/all-harnesses.js";
import { type Refusal, runShard, type Shard, type ShardReport } from "./run-fuzz.js";

export interface FuzzWorkerData {
  /** Index of the running case. */
  readonly current: SharedArrayBuffer;
}

export interface FuzzAnswer {
  readonly report: ShardReport;
  readonly refusals: readonly Refusal[];
}

// Capturing the stack of a rejection takes longer than most cases. Crashes run again with stacks.
Error.stackTraceLimit = 0;
const current = new Int32Array((workerData as FuzzWorkerData).current);

parentPort?.on("message", async (shard: Shard) => {
  const harness = HARNESSES.find(({ name }) => name === shard.harness);
  if (harness === undefined) {
    throw new RangeError(`unknown harness ${shard.harness}`);
  }
  const refusals: Refusal[] = [];
  const report = await runShard(harness, shard, {
    onCase: (index) => {
      current[0] = index;
    },
    onRefusal: (refusal) => refusals.push(refusal),
  });
  parentPort?.postMessage({ report, refusals } satisfies FuzzAnswer);
});
