/**
 * What is wrong with a file, in contrast to what is wrong with where it is read from: Kudu goes on without a Bloom file
 * that is damaged, as it would without any (docs/spec/bloomfile.md#7-lookup).
 */
import { type CFileError, isCFileError } from "@cfile/bytes";

/** Whether the error says that bytes are wrong; the source itself works. */
export function isDamage(error: unknown): error is CFileError {
  return (
    isCFileError(error) &&
    error.code !== "E_IO" &&
    error.code !== "E_SOURCE_CHANGED" &&
    error.code !== "E_INVALID_ARGUMENT"
  );
}

/** Called for each damaged part that is met; without one, the error is thrown. */
export type OnDamage = (error: CFileError) => void;

/** Gives damage to `onDamage`; throws all else, and everything when nobody listens. */
export function reportDamage(error: unknown, onDamage: OnDamage | undefined): void {
  if (onDamage === undefined || !isDamage(error)) {
    throw error;
  }
  onDamage(error);
}
