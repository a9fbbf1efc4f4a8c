import type { ByteSource } from "./byte-source.js";
import { requireRange } from "./byte-source.js";

/** Bytes in memory; reads give views, not copies. */
export function memorySource(bytes: Uint8Array, name = "memory"): ByteSource {
  return {
    name,
    size: () => Promise.resolve(bytes.length),
    read: async (offset, length) => {
      requireRange(offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}
