/** Which errors say that data are damaged, in contrast to a source that fails and to a question that has no answer. */
import { type CFileError, type CFileErrorCode, isCFileError } from "./error.js";

const DAMAGE: ReadonlySet<CFileErrorCode> = /* @__PURE__ */ new Set([
  "E_CHECKSUM",
  "E_TRUNCATED",
  "E_CORRUPT",
  "E_LIMIT",
  // A flipped bit in the number of a type, an encoding or a codec names one that does not exist.
  "E_UNSUPPORTED",
  "E_BLOCK_MISSING",
]);

/** Whether data are damaged or missing, so that recovery can go on with the rest of them. */
export function isDamage(error: unknown): error is CFileError {
  return isCFileError(error) && DAMAGE.has(error.code);
}

/** Called for each damaged part; without one, the error is thrown. */
export type OnDamage = (error: CFileError) => void;

/** Passes damage to `onDamage`; throws everything else, and damage too when there is no `onDamage`. */
export function reportDamage(error: unknown, onDamage: OnDamage | undefined): void {
  if (onDamage === undefined || !isDamage(error)) {
    throw error;
  }
  onDamage(error);
}

/**
 * What a check lists: every `CFileError` that its data cause, since its caller names no rows, keys or times.
 *
 * @throws what is not the data's: `E_IO`, `E_SOURCE_CHANGED`, aborts, other exceptions
 */
export function findingOf(error: unknown): CFileError {
  if (!isCFileError(error) || error.code === "E_IO" || error.code === "E_SOURCE_CHANGED") {
    throw error;
  }
  return error;
}
