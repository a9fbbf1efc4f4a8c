import type { ByteSource } from "../source/byte-source.js";

/** The source with another `read`, which `readMany` calls for each range. */
export function delegate(source: ByteSource, read: ByteSource["read"], onClose?: () => void): ByteSource {
  return {
    name: source.name,
    isMemory: source.isMemory,
    chunkBytes: source.chunkBytes,
    traffic: source.traffic,
    size: (options) => source.size(options),
    version: async (options) => source.version?.(options),
    read,
    readMany: (ranges, options) =>
      Promise.all(ranges.map(({ offset, length }) => read(offset, length, options))),
    close: async () => {
      onClose?.();
      await source.close?.();
    },
  };
}
