import { CFileError } from "@cfile/bytes";
import { type ByteSource, requireRange, sourceError } from "./byte-source.js";

/** What hyparquet reads from. */
export interface AsyncBuffer {
  readonly byteLength: number;
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/** An `AsyncBuffer`, as hyparquet makes them, as a source. */
export function asyncBufferSource(buffer: AsyncBuffer, name = "buffer"): ByteSource {
  return {
    name,
    size: async () => {
      if (!(Number.isSafeInteger(buffer.byteLength) && buffer.byteLength >= 0)) {
        throw new CFileError("E_IO", `the buffer has no size: byteLength is ${buffer.byteLength}`, {
          path: name,
        });
      }
      return buffer.byteLength;
    },
    read: async (offset, length, { signal } = {}) => {
      requireRange(offset, length);
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
