/** The problems that a check of a row set finds, with the roles of the files that have them. */
import { type CFileError, type FileProblem, problemOf as fileProblemOf, findingOf } from "@cfile/bytes";
import type { DeltaProblem } from "@cfile/deltafile/read";

/** A problem of a row set, with the file that has it. */
export interface RowSetProblem extends DeltaProblem {
  /** The role of the file: `column NAME`, `ad-hoc index`, `Bloom file`, `redo 0`, `undo 1`; `row set` for problems across files. */
  readonly role: string;
  readonly path?: string | undefined;
}

/** Lists problems up to a maximum, and counts all of them. */
export class RowSetProblems {
  readonly listed: RowSetProblem[] = [];
  private readonly max: number;
  private all = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Number of problems, including those not listed. */
  get count(): number {
    return this.all;
  }

  add(problem: RowSetProblem): void {
    this.all++;
    if (this.listed.length < this.max) {
      this.listed.push(problem);
    }
  }

  /** @param count their number, including those not listed */
  addAll(
    problems: readonly (FileProblem | DeltaProblem)[],
    role: string,
    path: string,
    count = problems.length,
  ): void {
    for (const problem of problems) {
      this.add({ ...problem, role, path });
    }
    this.all += count - problems.length;
  }

  addError(role: string, error: CFileError): void {
    this.add({ ...fileProblemOf(error), role, path: error.path });
  }

  /** Adds the damage that makes `action` fail; other failures are thrown. */
  async attempt(role: string, action: () => Promise<void>): Promise<void> {
    const damage = await damageOf(action);
    if (damage !== undefined) {
      this.addError(role, damage);
    }
  }
}

/** The damage that makes `action` fail; other failures are thrown. */
export async function damageOf(action: () => Promise<void>): Promise<CFileError | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return findingOf(error);
  }
}
