/** Errors as plain fields: a structured clone keeps an error's message only. */
import { CFileError, type CFileErrorCode, type CFileErrorDetails, isCFileError } from "@cfile/bytes";

export interface ErrorFields extends Omit<CFileErrorDetails, "cause"> {
  readonly code: CFileErrorCode;
  readonly reason: string;
  /** Name and message of the cause. */
  readonly cause: string | undefined;
}

export function fieldsOf(error: unknown): ErrorFields {
  if (!isCFileError(error)) {
    return { code: "E_IO", reason: "the worker failed", cause: String(error) };
  }
  const { code, reason, offset, block, path, field, expected, actual, cause } = error;
  return {
    code,
    reason,
    offset,
    block: block && { offset: block.offset, size: block.size },
    path,
    field,
    expected,
    actual,
    cause: cause === undefined ? undefined : String(cause),
  };
}

export function errorOf({ code, reason, ...details }: ErrorFields): CFileError {
  return new CFileError(code, reason, details);
}
