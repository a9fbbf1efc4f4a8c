/** What every command works with. */
import { type CFileReader, openCFile } from "cfile";
import { combineExitCodes, EXIT, exitCodeOf } from "./exit-code.js";
import type { CliIo } from "./io.js";
import { errorLine } from "./report-error.js";
import { OutputClosed, TextOutput } from "./text-output.js";

export class CliContext {
  readonly io: CliIo;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Whether errors are written as JSON. */
  readonly jsonErrors: boolean;
  /** What the process is to end with. */
  exitCode: number = EXIT.ok;

  constructor(io: CliIo, jsonErrors: boolean) {
    this.io = io;
    this.stdout = new TextOutput(io.stdout);
    this.stderr = new TextOutput(io.stderr);
    this.jsonErrors = jsonErrors;
  }

  /** Opens `path` for as long as `work` runs. */
  async withFile<T>(path: string, work: (file: CFileReader) => Promise<T>): Promise<T> {
    const file = await openCFile(path, { signal: this.io.signal });
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  /** Runs `work` for one path after the other; a failure is told and does not keep the others from their turn. */
  async forEachPath(paths: readonly string[], work: (path: string) => Promise<number>): Promise<void> {
    const codes: number[] = [];
    for (const path of paths) {
      this.io.signal?.throwIfAborted();
      try {
        codes.push(await work(path));
      } catch (error) {
        const code = exitCodeOf(error);
        if (code === EXIT.interrupted || error instanceof OutputClosed) {
          throw error;
        }
        await this.reportError(error);
        codes.push(code);
      }
    }
    this.exitCode = combineExitCodes(codes);
  }

  reportError(error: unknown): Promise<void> {
    return this.stderr.line(errorLine(error, this.jsonErrors));
  }
}
