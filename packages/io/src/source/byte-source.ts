/** Sources of bytes, which callers read by ranges, never as whole files. */
import { type BlockMemory, CFileError, invalidArgument, isCFileError } from "@cfile/bytes";

/** Options of one read. */
export interface ReadOptions {
  /** Aborts the read, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Memory to read into; the result is a view of its beginning. Do not use it during the read. Sources in memory ignore it. */
  readonly target?: Uint8Array | undefined;
}

/** Bytes `offset` to `offset + length` of a source. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Bytes of a range in the parts in which they arrived; a `Uint8Array` is a single part. */
export interface ByteParts {
  /**
   * Bytes `start` to `end`, counted from the start of the range: a view if they lie in one part, else a copy.
   *
   * @param memory for a copy. Default: new memory
   */
  subarray(start: number, end: number, memory?: BlockMemory): Uint8Array;
}

/** Network traffic so far. */
export interface SourceTraffic {
  readonly requests: number;
  /** Bytes of the response bodies. */
  readonly bytes: number;
  /** Sum over all requests of the time from the request to the end of its response. */
  readonly milliseconds: number;
}

/** Random access to bytes that do not change. */
export interface ByteSource {
  /** Path, URL or another name, for errors. */
  readonly name: string;
  /** Total size in bytes; never changes. */
  size(options?: ReadOptions): Promise<number>;
  /** All bytes from `offset` to `offset + length`. The caller must not write to the result. */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array>;
  /** `read` without joining the parts that arrive, which saves memory and time if the range is used piece by piece. */
  readParts?(offset: number, length: number, options?: ReadOptions): Promise<ByteParts>;
  /** Several reads at once, in the order of `ranges`; without it, `readRanges` calls `read` for each. */
  readMany?(ranges: readonly ByteRange[], options?: ReadOptions): Promise<Uint8Array[]>;
  /** Distinguishes these bytes from others of the same name; `undefined` if unknown. */
  version?(options?: ReadOptions): Promise<string | undefined>;
  /** Whether all bytes are in memory, so that a read needs no `target`. Default `false`. */
  readonly isMemory?: boolean | undefined;
  /** Bytes per read that suit the source when its bytes are read in order. Default: the reader's choice. */
  readonly chunkBytes?: number | undefined;
  /** Requests so far, for sources on a network. */
  readonly traffic?: SourceTraffic | undefined;
  /** Releases file handles and memory. */
  close?(): Promise<void>;
}

/** Options of a read that must return every byte. */
export interface ExactReadOptions extends ReadOptions {
  /** Name of the source, for errors. */
  readonly field?: string | undefined;
}

/**
 * Reads exactly `length` bytes.
 *
 * @throws {CFileError} `E_TRUNCATED` for too few bytes; `E_IO` for too many, or when the source fails (with the cause);
 *   `E_INVALID_ARGUMENT` for an invalid range. An aborted read throws the signal's reason
 */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  { signal, field, target }: ExactReadOptions = {},
): Promise<Uint8Array> {
  checkRead(offset, length, signal);
  const bytes = await guarded(source.name, signal, () => source.read(offset, length, { signal, target }));
  return checkedBytes(bytes, { offset, length }, source, field);
}

/**
 * Reads a range in the parts of the source, which are not checked; else like {@link readExactly}.
 *
 * @throws {CFileError} like `readExactly`
 */
export async function readParts(
  source: ByteSource,
  offset: number,
  length: number,
  options: ExactReadOptions,
): Promise<ByteParts> {
  const parts = guarded(source.name, options.signal, async () => source.readParts?.(offset, length, options));
  return (await parts) ?? readExactly(source, offset, length, options);
}

/**
 * Checks what a source returned for a range.
 *
 * @throws {CFileError} `E_TRUNCATED` for too few bytes, `E_IO` for too many and for anything but a `Uint8Array`
 */
export function checkedBytes(
  bytes: unknown,
  { offset, length }: ByteRange,
  { name: path }: ByteSource,
  field: string | undefined,
): Uint8Array {
  if (!(bytes instanceof Uint8Array)) {
    throw new CFileError("E_IO", "the source did not return a Uint8Array", { path, offset, field });
  }
  if (bytes.length !== length) {
    throw new CFileError(
      bytes.length < length ? "E_TRUNCATED" : "E_IO",
      `the source returned ${bytes.length} bytes (expected ${length})`,
      { path, offset, field, expected: length, actual: bytes.length },
    );
  }
  return plainBytes(bytes);
}

/** The same memory without the overrides of a subclass: `slice` of Node's `Buffer` does not copy. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * The size of a source in bytes, checked.
 *
 * @throws {CFileError} `E_IO` for an invalid size, or when the source fails. An aborted call throws the signal's reason
 */
export async function sizeOf(source: ByteSource, { signal }: ReadOptions = {}): Promise<number> {
  signal?.throwIfAborted();
  return checkedSize(await guarded(source.name, signal, () => source.size({ signal })), source.name);
}

/** @throws {CFileError} `E_IO` unless `size` is an integer >= 0 */
export function checkedSize(size: number, path: string): number {
  if (!(Number.isSafeInteger(size) && size >= 0)) {
    const actual = String(size);
    const details = { path, field: "size", actual };
    throw new CFileError("E_IO", `invalid size: ${actual} (must be an integer >= 0)`, details);
  }
  return size;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid range. An aborted signal throws its reason */
export function checkRead(offset: number, length: number, signal: AbortSignal | undefined): void {
  if (!(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0)) {
    throw invalidArgument(`invalid range: offset ${offset}, length ${length} (must be integers >= 0)`, {
      field: "range",
    });
  }
  signal?.throwIfAborted();
}

/** Runs one call of a source with the errors of {@link sourceError}. */
export async function guarded<T>(
  path: string,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw sourceError(error, path, signal);
  }
}

/** The error of a failed read: the reason of an aborted signal, a `CFileError` unchanged, anything else as `E_IO`. */
export function sourceError(error: unknown, path: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) {
    return signal.reason;
  }
  return isCFileError(error)
    ? error
    : new CFileError("E_IO", `cannot read the source: ${reasonOf(error)}`, { path, cause: error });
}

/** `fetch` states the reason only in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== "" ? `${message}: ${cause.message}` : message;
}

/**
 * Memory for `length` bytes: the beginning of `target` if it is large enough.
 *
 * @param allocate allocates other memory. Default: zeroed memory
 */
export function memoryFor(
  length: number,
  target: Uint8Array | undefined,
  allocate: (size: number) => Uint8Array = (size) => new Uint8Array(size),
): Uint8Array {
  return target !== undefined && target.length >= length ? target.subarray(0, length) : allocate(length);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless an option is a number (`integer`: an integer) >= `minimum` */
export function checkOption(field: string, value: number, minimum: number, integer = false): void {
  if (!(value >= minimum && (!integer || Number.isSafeInteger(value)))) {
    const kind = integer ? "an integer" : "a number";
    throw invalidArgument(`invalid ${field}: ${value} (must be ${kind} >= ${minimum})`, { field });
  }
}
