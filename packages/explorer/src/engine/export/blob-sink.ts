/** A sink into a Blob, whose parts the browser may keep on disk. */
import type { ByteSink } from "@cfile/io";

/** Bytes collected per part. */
const PART_BYTES = 4 * 1024 * 1024;

/** Creates the sink. Call `blob()` after `close()`. */
export function blobSink(type: string): ByteSink & { readonly blob: () => Blob } {
  const parts: Blob[] = [];
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let pendingBytes = 0;
  const flush = (): void => {
    parts.push(new Blob(pending));
    pending = [];
    pendingBytes = 0;
  };
  return {
    name: "export",
    write: async (bytes) => {
      pending.push(new Uint8Array(bytes));
      pendingBytes += bytes.length;
      if (pendingBytes >= PART_BYTES) {
        flush();
      }
    },
    close: async () => flush(),
    abort: async () => {
      parts.length = 0;
      pending = [];
    },
    blob: () => new Blob(parts, { type }),
  };
}
