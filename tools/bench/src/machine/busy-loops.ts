/**
 * Occupies cores with loops, as other machines to measure on:
 *
 * | throttle | loops | like a machine |
 * | --- | --- | --- |
 * | `last` | an endless one on the last core | where a second thread gains little |
 * | `all` | on each core, with real-time priority for half of each 0.4 milliseconds | of half the speed |
 *
 * Beside an endless loop, a thread gets half of a core, but more if it often waits. Real-time loops take half of each core from all threads
 * alike.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The cores to occupy. */
export type Throttle = "last" | "all";

const ENDLESS = "for (;;);";
/**
 * Short slices: tasks of a millisecond last as long as on a slower machine, and a thread does not wait long for one on the other core. A
 * wait takes some 0.02 milliseconds longer, until the thread runs again.
 */
const HALF_OF_A_CORE = `
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const end = performance.now() + 0.17;
    while (performance.now() < end);
    Atomics.wait(nothing, 0, 0, 0.2);
  }`;
const REAL_TIME = ["chrt", "--fifo", "50"];

/**
 * Starts the loops. They end with the returned resource.
 *
 * @throws {Error} without `taskset`; without `chrt`, or the permission to use it, for `all`
 */
export function busyLoops(throttle: Throttle): Disposable {
  const cores = availableParallelism();
  const loops = throttle === "all" ? halfOfEachCore(cores) : [startLoop(cores - 1, [], ENDLESS)];
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

function halfOfEachCore(cores: number): ChildProcess[] {
  const [chrt = "", ...options] = REAL_TIME;
  if (spawnSync(chrt, [...options, "true"]).status !== 0) {
    throw new Error("chrt cannot set a real-time priority: run as root");
  }
  return Array.from({ length: cores }, (_, core) => startLoop(core, REAL_TIME, HALF_OF_A_CORE));
}

function startLoop(core: number, priority: readonly string[], loop: string): ChildProcess {
  const program = [...priority, process.execPath, "-e", loop];
  return spawn("taskset", ["-c", `${core}`, ...program], { stdio: "inherit" });
}
