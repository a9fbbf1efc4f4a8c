import { type ByteSource, checkRead, sourceError } from "../source/byte-source.js";

/** A `Blob` or `File`: a file the user chose, an entry of the origin's private file system. Only ranges are read. */
export function blobSource(blob: Blob, name = nameOf(blob)): ByteSource {
  return {
    name,
    size: () => Promise.resolve(blob.size),
    read: async (offset, length, { signal } = {}) => {
      checkRead(offset, length, signal);
      try {
        const part = await blob.slice(offset, offset + length).arrayBuffer();
        signal?.throwIfAborted();
        return new Uint8Array(part);
      } catch (error) {
        throw sourceError(error, name, signal);
      }
    },
  };
}

function nameOf(blob: Blob): string {
  return "name" in blob && typeof blob.name === "string" ? blob.name : "blob";
}
