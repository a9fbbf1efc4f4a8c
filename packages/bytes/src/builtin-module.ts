/**
 * A module of Node where there is one; nothing is imported, so that bundles for browsers need no stand-in for it.
 *
 * @typeParam Modules what the modules are, by name
 */
export function builtinModule<Modules, K extends keyof Modules & string>(name: K): Modules[K] | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => Modules[K] | undefined } };
  return host.process?.getBuiltinModule?.(name);
}
