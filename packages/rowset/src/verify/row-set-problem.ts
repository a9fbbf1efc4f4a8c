/** What is wrong with a row set, and with what in it. */
import type { CFileError } from "@cfile/bytes";
import type { DeltaProblem } from "@cfile/deltafile/read";

/** One thing that is wrong with a row set: what it is, and in which of its files. */
export interface RowSetProblem extends DeltaProblem {
  /** What the file is for: `column NAME`, `ad-hoc index`, `Bloom file`, `redo 0`, `undo 1`; `row set` for all together. */
  readonly role: string;
  /** The file's path. */
  readonly path?: string | undefined;
}

export function problemOf(role: string, error: CFileError): RowSetProblem {
  const { code, reason, offset, block, path, field, expected, actual } = error;
  return { code, reason, offset, block, path, field, expected, actual, role };
}
