import { type ByteSource, checkRead, plainBytes } from "./byte-source.js";

/** Bytes in memory; reads give views, not copies. */
export function memorySource(given: Uint8Array, name = "memory"): ByteSource {
  const bytes = plainBytes(given);
  return {
    name,
    isMemory: true,
    size: () => Promise.resolve(bytes.length),
    read: async (offset, length, { signal } = {}) => {
      checkRead(offset, length, signal);
      return bytes.subarray(offset, offset + length);
    },
  };
}
