import { type ByteSource, checkedSize, checkRead, sourceError } from "./byte-source.js";

/** What hyparquet reads from. */
export interface AsyncBuffer {
  readonly byteLength: number;
  /**
   * The bytes from `start` (inclusive) to `end` (exclusive; default: the end). Both may be negative, counted from the
   * end.
   */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/** An `AsyncBuffer`, as hyparquet makes them, as a source. */
export function asyncBufferSource(buffer: AsyncBuffer, name = "buffer"): ByteSource {
  return {
    name,
    size: async () => checkedSize(buffer.byteLength, name),
    read: async (offset, length, { signal } = {}) => {
      checkRead(offset, length, signal);
      try {
        const part = await buffer.slice(offset, offset + length);
        signal?.throwIfAborted();
        return new Uint8Array(part);
      } catch (error) {
        throw sourceError(error, name, signal);
      }
    },
  };
}
