/**
 * The one error type of all cfile packages.
 *
 * Low layers know a field and an offset inside the bytes they were given; each layer above adds what it
 * knows (block, path) with {@link CFileError.within}. A brand instead of `instanceof` keeps
 * {@link isCFileError} true across package copies and after a structured clone from a worker.
 */

import type { Limits } from "./limits.js";

/**
 * Stable error codes, one to one with Kudu's status categories:
 *
 * | code | Kudu status |
 * | --- | --- |
 * | `E_CHECKSUM`, `E_CORRUPT` | Corruption |
 * | `E_TRUNCATED` | EndOfFile / Corruption |
 * | `E_LIMIT` | Corruption or InvalidArgument: a size above a {@link Limits} value |
 * | `E_UNSUPPORTED` | NotSupported |
 * | `E_NOT_FOUND` | NotFound |
 * | `E_BLOCK_MISSING` | NotFound: a block or file that metadata name |
 * | `E_HISTORY_GONE` | InvalidArgument: a snapshot before the history that is kept |
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

/** What went wrong, as a stable name that programs may compare: one of `CFILE_ERROR_CODES`. */
export type CFileErrorCode = (typeof CFILE_ERROR_CODES)[number];

/** Where a block stands in its file: `offset` and `size` in bytes, as in its block pointer. */
export interface BlockLocation {
  readonly offset: number;
  readonly size: number;
}

/** What is known about the place and the reason of an error; every field is optional. */
export interface CFileErrorDetails {
  /** Byte offset of the bad field: inside the file if `block` is absent, else inside the block. */
  readonly offset?: number | undefined;
  /** The block in which the error was met. */
  readonly block?: BlockLocation | undefined;
  /** File path, URL or source name. */
  readonly path?: string | undefined;
  /** The specification's name of the bad field, e.g. `"footer length"`. */
  readonly field?: string | undefined;
  readonly expected?: number | string | undefined;
  readonly actual?: number | string | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("cfile.CFileError");
const DETAIL_KEYS = ["offset", "block", "path", "field", "expected", "actual"] as const;

/**
 * The error of every cfile package for bad input, bad arguments and failing sources: a stable code, and where in
 * which file. `isCFileError` recognises it across copies of the package.
 */
export class CFileError extends Error {
  override readonly name = "CFileError";
  readonly code: CFileErrorCode;
  /** The message without path and position. */
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

  /** The same error with more known about its place. Details already known are kept. */
  within(details: Pick<CFileErrorDetails, "path" | "block" | "offset" | "field">): CFileError {
    const merged = new CFileError(this.code, this.reason, {
      offset: this.offset ?? details.offset,
      block: this.block ?? details.block,
      path: this.path ?? details.path,
      field: this.field ?? details.field,
      expected: this.expected,
      actual: this.actual,
      cause: this.cause,
    });
    if (this.stack !== undefined) {
      merged.stack = this.stack.replace(this.message, merged.message);
    }
    return merged;
  }

  /** Plain fields, for logs, JSON output and messages between workers. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { name: this.name, code: this.code, message: this.message };
    for (const key of DETAIL_KEYS) {
      if (this[key] !== undefined) {
        json[key] = this[key];
      }
    }
    return json;
  }
}

function describe(reason: string, { path, block, offset, field }: CFileErrorDetails): string {
  const place = [
    path,
    block && `block at ${block.offset} (${block.size} bytes)`,
    offset !== undefined && `offset ${offset}`,
    field,
  ].filter((part) => part !== undefined && part !== false && part !== "");
  return place.length === 0 ? reason : `${reason} [${place.join(", ")}]`;
}

/**
 * Whether `error` is a {@link CFileError}, of the given `code` if one is given. Also true for errors thrown
 * by another copy of this package and for ones that crossed a worker boundary as plain fields.
 */
export function isCFileError(error: unknown, code?: CFileErrorCode): error is CFileError {
  if (typeof error !== "object" || error === null) {
    return false;
  }
  const branded = BRAND in error;
  const candidate = error as { name?: unknown; code?: unknown };
  if (!branded && candidate.name !== "CFileError") {
    return false;
  }
  if (code !== undefined) {
    return candidate.code === code;
  }
  return branded || CFILE_ERROR_CODES.some((known) => known === candidate.code);
}

/** Runs `action`; a {@link CFileError} it throws gets `details` added. Other errors pass untouched. */
export function withErrorContext<T>(
  details: Pick<CFileErrorDetails, "path" | "block" | "offset" | "field">,
  action: () => T,
): T {
  try {
    return action();
  } catch (error) {
    throw isCFileError(error) && typeof error.within === "function" ? error.within(details) : error;
  }
}

/** Shorthand for the commonest error: malformed bytes. */
export function corrupt(reason: string, details?: CFileErrorDetails): CFileError {
  return new CFileError("E_CORRUPT", reason, details);
}

/** Shorthand for a caller's mistake. */
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

/** `E_LIMIT`: a file claims `actual`, more than the named limit allows. */
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

/** A caller's value that an option does not take: `invalid batchRows: 0 (must be an integer >= 1)`. */
export function invalidOption(field: string, value: unknown, must: string): CFileError {
  const actual = String(value);
  return invalidArgument(`invalid ${field}: ${actual} (must be ${must})`, { field, actual });
}
