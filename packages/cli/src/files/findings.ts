/** The result of verifying a file or a table store. */
import type { DeltaKind } from "@cfile/deltafile";
import type { DeltaProblem } from "@cfile/deltafile/read";
import type { RowSetProblem } from "@cfile/rowset/verify";
import type { VerifyProblem } from "cfile";

/** A problem of a single file, or of a file in a table store. */
export type Problem = VerifyProblem & Partial<DeltaProblem> & Partial<RowSetProblem>;

export interface Findings {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** Number of problems, including those not listed. */
  readonly problemCount?: number | undefined;
  readonly warnings?: readonly Problem[] | undefined;
  /** What was checked, as text. */
  readonly summary: string;
  /** What was checked, for JSON. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface VerifySettings {
  /** Kind of delta files. */
  readonly kind: DeltaKind | undefined;
  /** Whether the path must be a table. */
  readonly isTable: boolean;
  readonly signal: AbortSignal | undefined;
  /** @param part from 0 to 1 */
  readonly onProgress: (part: number) => void;
}
