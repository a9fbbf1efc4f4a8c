/** Limits of V8 for commands that run for seconds and have little data on the heap: most bytes are in buffers, which are reused. */
import { setFlagsFromString } from "node:v8";

/**
 * Raises the limits for this thread and those that start later. With V8's defaults, an export collects garbage again and again, and
 * optimizes hundreds of functions that it calls only a few more times, on cores that it needs itself. Other engines keep their defaults.
 */
export function expectLongRun(): void {
  if ("Bun" in globalThis || "Deno" in globalThis) {
    return;
  }
  // The heap may grow to five times the live data before the next collection.
  setFlagsFromString("--heap-growing-percent=400");
  // Bytes of bytecode that a function runs before V8 considers to optimize it. V8 12 has no such flag, and a faster compiler.
  if (process.versions.v8.startsWith("11.")) {
    setFlagsFromString("--interrupt-budget=1000000");
  }
}
