import { type ByteSource, checkedSize, checkRead, guarded } from "./byte-source.js";

/** The input type of hyparquet. */
export interface AsyncBuffer {
  readonly byteLength: number;
  /** Bytes `start` (inclusive) to `end` (exclusive; default: the end). Negative offsets count from the end. */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/** A source that reads an `AsyncBuffer`. */
export function asyncBufferSource(buffer: AsyncBuffer, name = "buffer"): ByteSource {
  return {
    name,
    size: async () => checkedSize(buffer.byteLength, name),
    read: async (offset, length, { signal } = {}) => {
      checkRead(offset, length, signal);
      return guarded(name, signal, async () => {
        const part = await buffer.slice(offset, offset + length);
        signal?.throwIfAborted();
        return new Uint8Array(part);
      });
    },
  };
}
