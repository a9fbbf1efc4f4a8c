/** Occupies one core with an endless loop, as a second, slower machine to measure on. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/**
 * Starts the loop on the last core. It ends with the returned resource.
 *
 * @throws {Error} without `taskset`
 */
export function busyLoop(): Disposable {
  const core = `${availableParallelism() - 1}`;
  const loop = spawn("taskset", ["-c", core, process.execPath, "-e", "for (;;);"], { stdio: "inherit" });
  if (loop.pid === undefined) {
    throw new Error("taskset, which pins the loop to a core, did not start");
  }
  return {
    [Symbol.dispose]: () => {
      loop.kill();
    },
  };
}
