import { asyncBufferSource } from "../source/async-buffer-source.js";
import type { ByteSource } from "../source/byte-source.js";

/** A `Blob` or `File`: chosen by the user, or from the origin private file system. Reads only the requested ranges. */
export function blobSource(
  blob: Blob,
  name = "name" in blob && typeof blob.name === "string" ? blob.name : "blob",
): ByteSource {
  const slice = (start: number, end?: number) => blob.slice(start, end).arrayBuffer();
  return asyncBufferSource({ byteLength: blob.size, slice }, name);
}
