/** Errors as plain fields: a structured clone keeps only an error's message. */
import { CFileError, type CFileErrorCode, type CFileErrorDetails, isCFileError } from "@cfile/bytes";

export interface ErrorFields extends Omit<CFileErrorDetails, "cause"> {
  readonly code: CFileErrorCode;
  readonly reason: string;
  /** Name and message of the cause. */
  readonly cause: string | undefined;
}

export function fieldsOf(error: unknown): ErrorFields {
  if (!isCFileError(error)) {
    return { code: "E_IO", reason: "worker failed", cause: String(error) };
  }
  const { code, reason, offset, path, field, expected, actual } = error;
  const block = error.block && { offset: error.block.offset, size: error.block.size };
  const cause = error.cause === undefined ? undefined : String(error.cause);
  return { code, reason, offset, block, path, field, expected, actual, cause };
}

export function errorOf({ code, reason, ...details }: ErrorFields): CFileError {
  return new CFileError(code, reason, details);
}
