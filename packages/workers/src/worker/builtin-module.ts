import type * as NodeOs from "node:os";
import type * as NodeThreads from "node:worker_threads";
import { builtinModule as builtin } from "@cfile/bytes";

interface NodeModules {
  readonly "node:os": typeof NodeOs;
  readonly "node:worker_threads": typeof NodeThreads;
}

/** A module of Node, where there is one. */
export const builtinModule = <K extends keyof NodeModules>(name: K): NodeModules[K] | undefined =>
  builtin<NodeModules, K>(name);
