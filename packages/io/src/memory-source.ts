import { type ByteSource, checkRead } from "./byte-source.js";

/** Bytes in memory; reads give views, not copies. */
export function memorySource(bytes: Uint8Array, name = "memory"): ByteSource {
  return {
    name,
    size: () => Promise.resolve(bytes.length),
    read: async (offset, length, { signal } = {}) => {
      checkRead(offset, length, signal);
      return bytes.subarray(offset, offset + length);
    },
  };
}
