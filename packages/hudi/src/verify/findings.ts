/** Findings of the verification of a table. */
import { type CFileError, findingOf } from "@cfile/bytes";

/** Counts verified files and bytes, and collects problems. */
export class Findings {
  problemCount = 0;
  files = 0;
  bytes = 0;
  private readonly onProblem: ((problem: CFileError) => void) | undefined;

  constructor(onProblem: ((problem: CFileError) => void) | undefined) {
    this.onProblem = onProblem;
  }

  add(error: CFileError): void {
    this.problemCount++;
    this.onProblem?.(error);
  }

  /** Runs a part of the verification; damage becomes a problem. */
  async attempt(path: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.add(findingOf(error).within({ path }));
    }
  }
}
