import type NodeEvents from "node:events";
import { builtinModule } from "@cfile/bytes";

/**
 * Calls back once when the signal is aborted, until `end` is called. Many requests of one scan share its signal; Node would
 * warn of a leak.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): { readonly end: () => void } {
  builtinModule<{ "node:events": typeof NodeEvents }, "node:events">("node:events")?.setMaxListeners(
    0,
    signal,
  );
  signal.addEventListener("abort", callback, { once: true });
  return { end: () => signal.removeEventListener("abort", callback) };
}
