/** What checks of files list: an error without its stack, at its place. */
import { findingOf } from "./damage.js";
import type { BlockLocation, CFileErrorCode } from "./error.js";

/** One thing that is wrong with a file: what it is and where. */
export interface FileProblem {
  readonly code: CFileErrorCode;
  /** What is wrong, without the place. */
  readonly reason: string;
  /** Byte offset, inside `block` if there is one, else in the file. */
  readonly offset?: number | undefined;
  readonly block?: BlockLocation | undefined;
  readonly field?: string | undefined;
  readonly expected?: number | string | undefined;
  readonly actual?: number | string | undefined;
}

/**
 * The problem that an error tells of.
 *
 * @param block where it is, when the error does not say
 * @throws what is no damage: failures of the source, aborts
 */
export function problemOf(error: unknown, block?: BlockLocation): FileProblem {
  const { code, reason, offset, block: known, field, expected, actual } = findingOf(error);
  return { code, reason, offset, block: known ?? block, field, expected, actual };
}
