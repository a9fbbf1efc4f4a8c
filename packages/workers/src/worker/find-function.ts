/** Finds the user's function: in a module, or among those of the worker's script. */
import { invalidArgument } from "@cfile/bytes";
import type { CallWork } from "../messages/messages.js";
import type { MapFunction } from "../pool/map-function.js";

/** Functions that a worker's script offers, by name. */
export type WorkerFunctions = Readonly<Record<string, MapFunction>>;

/** @throws {CFileError} `E_INVALID_ARGUMENT` if the module cannot be imported, or has no function of this name */
export async function findFunction(
  { module, name }: Pick<CallWork, "module" | "name">,
  functions: WorkerFunctions,
): Promise<MapFunction> {
  const exported = module === undefined ? functions : await importModule(module, name);
  const found = Object.hasOwn(exported, name) ? exported[name] : undefined;
  if (typeof found !== "function") {
    const place = module === undefined ? "the functions of the worker's script have" : `${module} has`;
    throw invalidArgument(`${place} no function "${name}"`, { field: "name", actual: name });
  }
  return found as MapFunction;
}

async function importModule(module: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // Bundlers must leave this import unchanged.
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ module);
  } catch (cause) {
    const reason = `cannot import ${module} for its function "${name}": ${String(cause)}`;
    throw invalidArgument(reason, { field: "module", actual: module, cause });
  }
}
