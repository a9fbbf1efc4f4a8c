/**
 * Occupies cores with endless loops, as other machines to measure on. A loop on the last core takes most of a second thread's gain. Loops on
 * all cores halve the speed of everything.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** The cores to occupy. */
export type Throttle = "last" | "all";

/**
 * Starts the loops. They end with the returned resource.
 *
 * @throws {Error} without `taskset`
 */
export function busyLoops(throttle: Throttle): Disposable {
  const last = availableParallelism() - 1;
  const cores = throttle === "all" ? Array.from({ length: last + 1 }, (_, core) => core) : [last];
  const loops = cores.map((core) =>
    spawn("taskset", ["-c", `${core}`, process.execPath, "-e", "for (;;);"], { stdio: "inherit" }),
  );
  if (loops.some(({ pid }) => pid === undefined)) {
    throw new Error("taskset, which pins a loop to a core, did not start");
  }
  return {
    [Symbol.dispose]: () => {
      for (const loop of loops) {
        loop.kill();
      }
    },
  };
}
