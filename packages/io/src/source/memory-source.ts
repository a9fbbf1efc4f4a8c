import { type ByteSource, checkRead, plainBytes } from "./byte-source.js";

/** Bytes in memory; reads return views, not copies. */
export function memorySource(content: Uint8Array, name = "memory"): ByteSource {
  const bytes = plainBytes(content);
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
