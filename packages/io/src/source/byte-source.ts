/**
 * Where bytes come from: whole files are never read, only the ranges that callers ask for.
 */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";

/** Options of one read. */
export interface ReadOptions {
  /** Aborts the read; it then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Memory that the bytes may be put into, at its beginning; the result is then a view of it. A source that has them in memory
   * gives its own. It must not be used otherwise until the read has ended.
   */
  readonly target?: Uint8Array | undefined;
}

/** Bytes `offset` to `offset + length` of a source. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Traffic with a server so far. */
export interface SourceTraffic {
  readonly requests: number;
  /** Bytes of the answers' bodies. */
  readonly bytes: number;
  /** Sum over all requests of the time from the request to the end of its answer. */
  readonly milliseconds: number;
}

/** Random access to bytes that do not change. */
export interface ByteSource {
  /** Path, URL or another name, for errors. */
  readonly name: string;
  /** Bytes of the whole; always the same answer. */
  size(options?: ReadOptions): Promise<number>;
  /** Bytes `offset` to `offset + length`, all of them; the caller does not write to the result. */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Several reads at once, in the order of `ranges`; without it, `readRanges` reads each of them. */
  readMany?(ranges: readonly ByteRange[], options?: ReadOptions): Promise<Uint8Array[]>;
  /** Distinguishes these bytes from others that had or will have the same name; `undefined` where nothing does. */
  version?(options?: ReadOptions): Promise<string | undefined>;
  /** Whether all bytes are in memory, so that a read needs no `target`. Default `false`. */
  readonly isMemory?: boolean | undefined;
  /** Requests so far, where reads are requests over a network. */
  readonly traffic?: SourceTraffic | undefined;
  /** Releases what the source holds: a file handle, memory. */
  close?(): Promise<void>;
}

/** Options of a read of which no byte may be missing. */
export interface ExactReadOptions extends ReadOptions {
  /** What is read, for errors. */
  readonly field?: string | undefined;
}

/**
 * Reads exactly `length` bytes: fewer or more bytes are an error, and exceptions of the source become `E_IO` with their
 * cause.
 *
 * @throws CFileError `E_TRUNCATED` for a short answer, `E_IO` for a long one or a failed read, `E_INVALID_ARGUMENT` for
 *   what is no range; the signal's reason when aborted
 */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  { signal, field, target }: ExactReadOptions = {},
): Promise<Uint8Array> {
  checkRead(offset, length, signal);
  let bytes: unknown;
  try {
    bytes = await source.read(offset, length, { signal, target });
  } catch (error) {
    throw sourceError(error, source.name, signal);
  }
  return checkedBytes(bytes, { offset, length }, source, field);
}

/**
 * Checks what a source gave for a range.
 *
 * @throws CFileError `E_TRUNCATED` for too few bytes, `E_IO` for too many and for anything but a `Uint8Array`
 */
export function checkedBytes(
  bytes: unknown,
  { offset, length }: ByteRange,
  { name: path }: ByteSource,
  field: string | undefined,
): Uint8Array {
  if (!(bytes instanceof Uint8Array)) {
    throw new CFileError("E_IO", "the source gave something else than a Uint8Array", { path, offset, field });
  }
  if (bytes.length !== length) {
    throw new CFileError(
      bytes.length < length ? "E_TRUNCATED" : "E_IO",
      `the source gave ${bytes.length} bytes where ${length} were asked for`,
      { path, offset, field, expected: length, actual: bytes.length },
    );
  }
  return plainBytes(bytes);
}

/** The same memory without what a subclass changes: `slice` of Node's `Buffer` does not copy. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * The size of a source, checked.
 *
 * @throws CFileError `E_IO` for an invalid size, or when the source fails; the signal's reason when aborted
 */
export async function sizeOf(source: ByteSource, { signal }: ReadOptions = {}): Promise<number> {
  signal?.throwIfAborted();
  let size: number;
  try {
    size = await source.size({ signal });
  } catch (error) {
    throw sourceError(error, source.name, signal);
  }
  return checkedSize(size, source.name);
}

/** @throws CFileError `E_IO` unless `size` is a whole number from 0 on */
export function checkedSize(size: number, path: string): number {
  if (!(Number.isSafeInteger(size) && size >= 0)) {
    throw new CFileError("E_IO", `${size} is no size in bytes`, {
      path,
      field: "size",
      actual: String(size),
    });
  }
  return size;
}

/**
 * What every read starts with.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless offset and length are whole numbers from 0 on; the signal's reason
 *   when it is aborted
 */
export function checkRead(offset: number, length: number, signal: AbortSignal | undefined): void {
  if (!(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0)) {
    throw invalidArgument(`no range of bytes: offset ${offset}, length ${length}`, { field: "range" });
  }
  signal?.throwIfAborted();
}

/** What a failed read is reported as: the signal's reason, a `CFileError` as it is, the rest as `E_IO`. */
export function sourceError(error: unknown, path: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) {
    return signal.reason;
  }
  if (isCFileError(error)) {
    return error;
  }
  return new CFileError("E_IO", `the source cannot be read: ${reasonOf(error)}`, { path, cause: error });
}

/** `fetch` names the reason only in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${message}: ${cause.message}` : message;
}

/** Memory for `length` bytes of a read: the beginning of its target, where there is one that is large enough. */
export function memoryFor(length: number, target: Uint8Array | undefined): Uint8Array {
  return target !== undefined && target.length >= length
    ? target.subarray(0, length)
    : new Uint8Array(length);
}
