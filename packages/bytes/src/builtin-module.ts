/**
 * A built-in module of Node; `undefined` if the runtime does not have it. It is not imported, so bundles for browsers need no stand-in.
 *
 * @typeParam Modules the types of modules by name
 */
export function builtinModule<Modules, K extends keyof Modules & string>(name: K): Modules[K] | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => Modules[K] | undefined } };
  return host.process?.getBuiltinModule?.(name);
}
