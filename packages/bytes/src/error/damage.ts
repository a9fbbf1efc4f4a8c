/** Distinguishes damaged data from failing sources and invalid requests. */
import {
  type BlockLocation,
  type CFileError,
  type CFileErrorCode,
  type CFileErrorDetails,
  isCFileError,
} from "./error.js";

const DAMAGE: ReadonlySet<CFileErrorCode> = /* @__PURE__ */ new Set([
  "E_CHECKSUM",
  "E_TRUNCATED",
  "E_CORRUPT",
  "E_LIMIT",
  // A flipped bit in the number of a type, encoding or codec can give a number that does not exist.
  "E_UNSUPPORTED",
  "E_BLOCK_MISSING",
]);

/** Whether data are damaged or missing, so that recovery can continue with the rest. */
export function isDamage(error: unknown): error is CFileError {
  return isCFileError(error) && DAMAGE.has(error.code);
}

/** Called for each damaged part. Without a callback, the error is thrown. */
export type OnDamage = (error: CFileError) => void;

/**
 * Passes damage to `onDamage`.
 *
 * @throws every other error; also damage when there is no `onDamage`
 */
export function reportDamage(error: unknown, onDamage: OnDamage | undefined): void {
  if (onDamage === undefined || !isDamage(error)) {
    throw error;
  }
  onDamage(error);
}

/**
 * Returns `error` if a check reports it: any `CFileError` that the data cause.
 *
 * @throws any other error: `E_IO`, `E_SOURCE_CHANGED`, aborts, other exceptions
 */
export function findingOf(error: unknown): CFileError {
  if (!isCFileError(error) || error.code === "E_IO" || error.code === "E_SOURCE_CHANGED") {
    throw error;
  }
  return error;
}

/** One finding of a check: a problem of a file and its location. */
export interface FileProblem extends Omit<CFileErrorDetails, "path" | "cause"> {
  readonly code: CFileErrorCode;
  /** The problem, without its location. */
  readonly reason: string;
}

/**
 * The problem that an error reports.
 *
 * @param block the block to report if the error names none
 * @throws like {@link findingOf}
 */
export function problemOf(error: unknown, block?: BlockLocation): FileProblem {
  const { code, reason, offset, block: known, field, expected, actual } = findingOf(error);
  return { code, reason, offset, block: known ?? block, field, expected, actual };
}
