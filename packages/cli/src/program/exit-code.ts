/** Exit codes of the command, and the exit code of each error. */
import { CFileError, type CFileErrorCode, type CFileErrorDetails, isCFileError } from "@cfile/bytes";

/** Exit codes of the command. */
export const EXIT = /* @__PURE__ */ Object.freeze({
  ok: 0,
  /** Any other failure, for example a row that does not exist. */
  failure: 1,
  usage: 2,
  corrupt: 3,
  unsupported: 4,
  io: 5,
  /** Stopped by SIGINT or SIGTERM. */
  interrupted: 130,
});

/** An invalid command line, as opposed to invalid data: exit code 2. */
export class UsageError extends CFileError {
  constructor(message: string) {
    super("E_INVALID_ARGUMENT", message);
  }
}

/** A missing row or cell, as opposed to a missing file: exit code 1. */
export class AbsentRowError extends CFileError {
  constructor(message: string, details: CFileErrorDetails) {
    super("E_NOT_FOUND", message, details);
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    return EXIT.usage;
  }
  if (error instanceof AbsentRowError) {
    return EXIT.failure;
  }
  if (!isCFileError(error)) {
    return isAbort(error) ? EXIT.interrupted : isSystemError(error) ? EXIT.io : EXIT.failure;
  }
  return EXIT_OF_CODE[error.code] ?? EXIT.failure;
}

const EXIT_OF_CODE: Readonly<Partial<Record<CFileErrorCode, number>>> = {
  E_CHECKSUM: EXIT.corrupt,
  E_CORRUPT: EXIT.corrupt,
  E_TRUNCATED: EXIT.corrupt,
  E_LIMIT: EXIT.corrupt,
  E_BLOCK_MISSING: EXIT.corrupt,
  E_UNSUPPORTED: EXIT.unsupported,
  E_IO: EXIT.io,
  E_SOURCE_CHANGED: EXIT.io,
  E_NOT_FOUND: EXIT.io,
};

/** The exit code for several inputs: corruption before all others, else the first that is not 0. */
export function combineExitCodes(codes: readonly number[]): number {
  return codes.includes(EXIT.corrupt) ? EXIT.corrupt : (codes.find((code) => code !== EXIT.ok) ?? EXIT.ok);
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Whether the error comes from the operating system, like ENOENT or ENOSPC. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
