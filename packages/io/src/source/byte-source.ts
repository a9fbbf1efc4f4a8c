/**
 * The one way in: whole files are never read, only the ranges somebody asks for.
 */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";

export interface ReadOptions {
  /** Aborts the read; it then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Memory that the bytes may be put into, at its beginning; the result is then a view of it. A source that has them at hand
   * gives its own. Nobody else may use it until the read has ended.
   */
  readonly target?: Uint8Array | undefined;
}

/** Bytes `offset` to `offset + length` of a source. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** What a source asked of a server so far. */
export interface SourceTraffic {
  readonly requests: number;
  /** Bytes of the answers' bodies. */
  readonly bytes: number;
  /** Time from a request to the end of its answer, all requests added up. */
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
  /** What tells these bytes from others that had or will have the same name; `undefined` where nothing does. */
  version?(options?: ReadOptions): Promise<string | undefined>;
  /** Whether all bytes are at hand, so that nobody needs to give memory for a read. Default `false`. */
  readonly isMemory?: boolean | undefined;
  /** Where reads are requests over a network. */
  readonly traffic?: SourceTraffic | undefined;
  /** Gives back what the source holds: a file handle, memory. */
  close?(): Promise<void>;
}

export interface ExactReadOptions extends ReadOptions {
  /** What is read, for errors. */
  readonly field?: string | undefined;
}

/**
 * Reads exactly `length` bytes. What a source of other people answers is not believed: fewer or more bytes are an
 * error, and foreign exceptions become `E_IO` with their cause.
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
  if (!(bytes instanceof Uint8Array)) {
    throw new CFileError("E_IO", "the source gave something else than a Uint8Array", {
      path: source.name,
      offset,
      field,
    });
  }
  if (bytes.length !== length) {
    const short = bytes.length < length;
    throw new CFileError(
      short ? "E_TRUNCATED" : "E_IO",
      `the source gave ${bytes.length} bytes where ${length} were asked for`,
      { path: source.name, offset, field, expected: length, actual: bytes.length },
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
 * The size that a source tells, not believed either.
 *
 * @throws CFileError `E_IO` for what is no size, or when the source fails; the signal's reason when aborted
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

/** What `fetch` throws tells the reason only by its cause. */
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
