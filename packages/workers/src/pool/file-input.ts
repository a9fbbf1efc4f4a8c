/** Inputs that a worker can open by itself, in the form in which they are sent to it. */
import { CFileError } from "@cfile/bytes";
import { type ByteSource, memorySource, openSource } from "@cfile/io";
import { blobSource } from "@cfile/io/browser";

/** A path, a URL, a Blob or bytes. */
export type PoolInput = string | URL | Blob | Uint8Array | ArrayBuffer | SharedArrayBuffer;

export type FileInput =
  | { readonly kind: "location"; readonly location: string }
  | { readonly kind: "blob"; readonly blob: Blob; readonly name: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/**
 * The form of an input to be sent. Bytes are copied into shared memory where that is allowed, once for all workers;
 * otherwise each worker gets a copy of its own. Memory that is shared already stays where it is.
 *
 * @throws CFileError `E_UNSUPPORTED` for a source made of functions, `E_INVALID_ARGUMENT` for something else
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
  const source = typeof input === "object" && input !== null && ("read" in input || "slice" in input);
  throw new CFileError(
    source ? "E_UNSUPPORTED" : "E_INVALID_ARGUMENT",
    source
      ? "a source is made of functions, which cannot be sent to a worker; pass a path, URL, Blob or bytes, or scan it without a pool"
      : "a path, URL, Blob, Uint8Array or ArrayBuffer is expected",
    { field: "input" },
  );
}

/** The source behind an input, on either side. */
export async function openInput(input: FileInput): Promise<ByteSource> {
  switch (input.kind) {
    case "location":
      return openSource(input.location);
    case "blob":
      return blobSource(input.blob, input.name);
    case "bytes":
      return isShared(input.bytes.buffer) ? sharedSource(input.bytes) : memorySource(input.bytes);
  }
}

function isShared(buffer: unknown): buffer is SharedArrayBuffer {
  return typeof SharedArrayBuffer === "function" && buffer instanceof SharedArrayBuffer;
}

function shared(bytes: Uint8Array): Uint8Array {
  const host = globalThis as { crossOriginIsolated?: boolean };
  const allowed = typeof SharedArrayBuffer === "function" && host.crossOriginIsolated !== false;
  if (!allowed || isShared(bytes.buffer)) {
    return bytes;
  }
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/**
 * Shared memory; reads give copies: what is checked must not change afterwards, and some functions of the web refuse
 * shared memory.
 */
function sharedSource(bytes: Uint8Array): ByteSource {
  const views = memorySource(bytes);
  return { ...views, read: async (...range) => new Uint8Array(await views.read(...range)) };
}
