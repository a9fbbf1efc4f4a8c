/** Inputs that a worker can open by itself, as they are sent. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ByteSource, memorySource, type OpenSourceOptions, openSource } from "@cfile/io";
import { blobSource } from "@cfile/io/browser";

/** A path, a URL, a Blob or bytes. */
export type PoolInput = string | URL | Blob | Uint8Array | ArrayBuffer | SharedArrayBuffer;

export type FileInput =
  | { readonly kind: "location"; readonly location: string }
  | { readonly kind: "blob"; readonly blob: Blob; readonly name: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/**
 * The input to send. Bytes are copied into shared memory where that is allowed, once for all workers; otherwise each worker
 * gets a copy. Shared memory is not copied.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for a source made of functions, `E_INVALID_ARGUMENT` for any other input
 */
export function fileInput(input: PoolInput): FileInput {
  if (typeof input === "string" || input instanceof URL) {
    return { kind: "location", location: String(input) };
  }
  if (input instanceof Blob) {
    // A File arrives as a Blob without a name.
    return { kind: "blob", blob: input, name: "name" in input ? String(input.name) : "blob" };
  }
  if (input instanceof Uint8Array) {
    return { kind: "bytes", bytes: shared(input) };
  }
  if (input instanceof ArrayBuffer || isShared(input)) {
    return { kind: "bytes", bytes: shared(new Uint8Array(input)) };
  }
  const field = "input";
  if (typeof input === "object" && input !== null && ("read" in input || "slice" in input)) {
    const reason =
      "cannot send a source to a worker (pass a path, URL, Blob or bytes, or scan without a pool)";
    throw new CFileError("E_UNSUPPORTED", reason, { field });
  }
  const reason = `unsupported input: ${typeof input} (expected a path, URL, Blob, Uint8Array or ArrayBuffer)`;
  throw invalidArgument(reason, { field });
}

/** The source of an input, in the pool or in a worker. */
export async function openInput(input: FileInput, options?: OpenSourceOptions): Promise<ByteSource> {
  switch (input.kind) {
    case "location":
      return openSource(input.location, options);
    case "blob":
      return blobSource(input.blob, input.name);
    case "bytes": {
      const source = memorySource(input.bytes);
      // Copies of shared memory: checked bytes must not change, and some web APIs refuse shared memory.
      return isShared(input.bytes.buffer)
        ? { ...source, read: async (...range) => new Uint8Array(await source.read(...range)) }
        : source;
    }
  }
}

function isShared(buffer: unknown): buffer is SharedArrayBuffer {
  return typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;
}

function shared(bytes: Uint8Array): Uint8Array {
  const host = globalThis as { crossOriginIsolated?: boolean };
  const isAllowed = typeof SharedArrayBuffer === "function" && host.crossOriginIsolated !== false;
  if (!isAllowed || isShared(bytes.buffer)) {
    return bytes;
  }
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
