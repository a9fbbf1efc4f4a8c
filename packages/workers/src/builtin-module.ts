import type * as NodeOs from "node:os";
import type * as NodeThreads from "node:worker_threads";

interface BuiltinModules {
  "node:os": typeof NodeOs;
  "node:worker_threads": typeof NodeThreads;
}

/** A module of Node where there is one; nothing is imported, so that bundles for browsers need no stand-in for it. */
export function builtinModule<K extends keyof BuiltinModules>(name: K): BuiltinModules[K] | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: K) => BuiltinModules[K] | undefined } };
  return host.process?.getBuiltinModule?.(name);
}
