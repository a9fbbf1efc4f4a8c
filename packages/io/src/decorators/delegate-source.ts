import type { ByteSource } from "../source/byte-source.js";

/** What a decorator leaves as it is: all of a source but its reads. */
export type DelegatedSource = Omit<ByteSource, "read" | "readMany">;

export function delegate(source: ByteSource): DelegatedSource {
  return {
    name: source.name,
    size: (options) => source.size(options),
    version: async (options) => source.version?.(options),
    isMemory: source.isMemory,
    traffic: source.traffic,
    close: async () => source.close?.(),
  };
}
