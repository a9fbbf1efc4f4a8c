/** Exit codes of the command, and which error means which. */
import { CFileError, type CFileErrorDetails, isCFileError } from "@cfile/bytes";

/** Exit codes of the command. */
export const EXIT = /* @__PURE__ */ Object.freeze({
  ok: 0,
  /** Anything that is none of the following, a row that does not exist among them. */
  failure: 1,
  usage: 2,
  corrupt: 3,
  unsupported: 4,
  io: 5,
  /** Stopped by SIGINT or SIGTERM. */
  interrupted: 130,
});

/** A mistake on the command line, as opposed to one in the data: exit code 2. */
export class UsageError extends CFileError {
  constructor(message: string) {
    super("E_INVALID_ARGUMENT", message);
  }
}

/** A row or cell that is not there, as opposed to a file: exit code 1. */
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
  switch (error.code) {
    case "E_CHECKSUM":
    case "E_CORRUPT":
    case "E_TRUNCATED":
    case "E_LIMIT":
    case "E_BLOCK_MISSING":
      return EXIT.corrupt;
    case "E_UNSUPPORTED":
      return EXIT.unsupported;
    case "E_IO":
    case "E_SOURCE_CHANGED":
    case "E_NOT_FOUND":
      return EXIT.io;
    default:
      return EXIT.failure;
  }
}

/** Of several inputs' codes the one to end with: corruption before all others, else the first that is not 0. */
export function combineExitCodes(codes: readonly number[]): number {
  return codes.includes(EXIT.corrupt) ? EXIT.corrupt : (codes.find((code) => code !== EXIT.ok) ?? EXIT.ok);
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** Whether it comes from the operating system, like ENOENT or ENOSPC. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
