/**
 * The error type of all cfile packages.
 *
 * Low layers know a field and an offset in their bytes; each layer above adds what it knows (block, path) with
 * {@link CFileError.within}. Errors carry a brand, so that {@link isCFileError} also recognizes errors of another copy of the
 * package; `instanceof` would not.
 */

import type { Limits } from "./limits.js";

/**
 * Stable error codes and their counterparts among Kudu's status categories:
 *
 * | code | Kudu status |
 * | --- | --- |
 * | `E_CHECKSUM`, `E_CORRUPT` | Corruption |
 * | `E_TRUNCATED` | EndOfFile / Corruption |
 * | `E_LIMIT` | Corruption or InvalidArgument: a size above a {@link Limits} value |
 * | `E_UNSUPPORTED` | NotSupported |
 * | `E_NOT_FOUND` | NotFound |
 * | `E_BLOCK_MISSING` | NotFound: a block or file that metadata refer to |
 * | `E_HISTORY_GONE` | InvalidArgument: a snapshot older than the retained history |
 * | `E_INVALID_ARGUMENT` | InvalidArgument |
 * | `E_SOURCE_CHANGED`, `E_IO` | IOError |
 */
export const CFILE_ERROR_CODES = [
  "E_CHECKSUM",
  "E_TRUNCATED",
  "E_CORRUPT",
  "E_LIMIT",
  "E_UNSUPPORTED",
  "E_NOT_FOUND",
  "E_BLOCK_MISSING",
  "E_HISTORY_GONE",
  "E_INVALID_ARGUMENT",
  "E_SOURCE_CHANGED",
  "E_IO",
] as const;

/** A stable error code: one of `CFILE_ERROR_CODES`. */
export type CFileErrorCode = (typeof CFILE_ERROR_CODES)[number];

/** The location of a block in its file, in bytes, as in its block pointer. */
export interface BlockLocation {
  readonly offset: number;
  readonly size: number;
}

/** Location and cause of an error, as far as known. */
export interface CFileErrorDetails {
  /** Byte offset of the bad field, in `block` if there is one, otherwise in the file. */
  readonly offset?: number | undefined;
  readonly block?: BlockLocation | undefined;
  /** File path, URL or source name. */
  readonly path?: string | undefined;
  /** Name of the bad field in the specification, for example `"footer length"`. */
  readonly field?: string | undefined;
  readonly expected?: number | string | undefined;
  readonly actual?: number | string | undefined;
  readonly cause?: unknown;
}

type ErrorLocation = Pick<CFileErrorDetails, "path" | "block" | "offset" | "field">;

const BRAND = Symbol.for("cfile.CFileError");

/** The error of every cfile package for bad input, invalid arguments and failing sources: a stable code and a location. */
export class CFileError extends Error {
  override readonly name = "CFileError";
  readonly code: CFileErrorCode;
  /** The message without its location. */
  readonly reason: string;
  readonly offset: number | undefined;
  readonly block: BlockLocation | undefined;
  readonly path: string | undefined;
  readonly field: string | undefined;
  readonly expected: number | string | undefined;
  readonly actual: number | string | undefined;

  constructor(code: CFileErrorCode, reason: string, details: CFileErrorDetails = {}) {
    super(describe(reason, details), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.reason = reason;
    this.offset = details.offset;
    this.block = details.block;
    this.path = details.path;
    this.field = details.field;
    this.expected = details.expected;
    this.actual = details.actual;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The same error with more details about its location; details that are already known are kept. */
  within(details: ErrorLocation): CFileError {
    const merged = new CFileError(this.code, this.reason, {
      ...details,
      ...this.toJSON(),
      cause: this.cause,
    });
    if (this.stack !== undefined) {
      merged.stack = this.stack.replace(this.message, merged.message);
    }
    return merged;
  }

  /** Plain fields, for logs, JSON output and messages between workers. */
  toJSON(): Record<string, unknown> {
    const { name, code, message, offset, block, path, field, expected, actual } = this;
    const fields = { name, code, message, offset, block, path, field, expected, actual };
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  }
}

function describe(reason: string, { path, block, offset, field }: CFileErrorDetails): string {
  const at = block && `block at ${block.offset} (${block.size} bytes)`;
  const location = [path, at, offset !== undefined && `offset ${offset}`, field].filter(Boolean);
  return location.length === 0 ? reason : `${reason} [${location.join(", ")}]`;
}

/**
 * Whether `error` is a {@link CFileError}, and has `code` if one is given. Recognizes errors of another copy of this package, and
 * errors that a worker sent as plain fields.
 */
export function isCFileError(error: unknown, code?: CFileErrorCode): error is CFileError {
  if (typeof error !== "object" || error === null) {
    return false;
  }
  const isBranded = BRAND in error;
  const candidate = error as { name?: unknown; code?: unknown };
  if (code !== undefined) {
    return candidate.code === code && (isBranded || candidate.name === "CFileError");
  }
  return (
    isBranded ||
    (candidate.name === "CFileError" && CFILE_ERROR_CODES.some((known) => known === candidate.code))
  );
}

/**
 * Runs `action`.
 *
 * @throws what `action` throws; a {@link CFileError} with `details` added
 */
export function withErrorContext<T>(details: ErrorLocation, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw isCFileError(error) && typeof error.within === "function" ? error.within(details) : error;
  }
}

/** The result of `action`; `undefined` if it throws a {@link CFileError}. Other errors are thrown. */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (isCFileError(error)) {
      return undefined;
    }
    throw error;
  }
}

/** An `E_CORRUPT` error: malformed bytes. */
export function corrupt(reason: string, details?: CFileErrorDetails): CFileError {
  return new CFileError("E_CORRUPT", reason, details);
}

/** An `E_INVALID_ARGUMENT` error: a mistake by the caller. */
export function invalidArgument(reason: string, details?: CFileErrorDetails): CFileError {
  return new CFileError("E_INVALID_ARGUMENT", reason, details);
}

/** `E_CORRUPT`, with both values in the message: `wrong count (expected 4, found 5)`. */
export function mismatch(
  reason: string,
  expected: number | string,
  actual: number | string,
  details?: CFileErrorDetails,
): CFileError {
  return corrupt(`${reason} (expected ${expected}, found ${actual})`, { ...details, expected, actual });
}

/** `E_LIMIT`: a file states `actual`, which exceeds the named limit. */
export function overLimit(
  what: string,
  name: keyof Limits,
  limits: Limits,
  actual: number,
  details?: CFileErrorDetails,
): CFileError {
  const expected = `at most ${limits[name]}`;
  const reason = `${what} exceeds ${name} (expected ${expected}, found ${actual})`;
  return new CFileError("E_LIMIT", reason, { ...details, expected, actual });
}

/** An invalid value of an option: `invalid batchRows: 0 (must be an integer >= 1)`. */
export function invalidOption(field: string, value: unknown, must: string): CFileError {
  const actual = String(value);
  return invalidArgument(`invalid ${field}: ${actual} (must be ${must})`, { field, actual });
}
