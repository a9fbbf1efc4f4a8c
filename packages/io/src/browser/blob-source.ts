import { asyncBufferSource } from "../source/async-buffer-source.js";
import type { ByteSource } from "../source/byte-source.js";

/** A `Blob` or `File`: a file the user chose, an entry of the origin's private file system. Only ranges are read. */
export function blobSource(blob: Blob, name = nameOf(blob)): ByteSource {
  const slice = (start: number, end?: number) => blob.slice(start, end).arrayBuffer();
  return asyncBufferSource({ byteLength: blob.size, slice }, name);
}

function nameOf(blob: Blob): string {
  return "name" in blob && typeof blob.name === "string" ? blob.name : "blob";
}
