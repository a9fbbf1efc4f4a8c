/** Opens the files of a job one after the other, and cuts their rows into tasks. */
import { openCFile, type ScanOptions } from "@cfile/format";
import type { OutputMessage, SentOpenOptions } from "../messages/messages.js";
import { identityOf } from "./file-identity.js";
import { fileInput, openInput, type PoolInput } from "./file-input.js";
import type { JobOutput } from "./job-output.js";
import { type JobFile, nextId } from "./pool-task.js";
import { cutRows, type RowTask } from "./row-tasks.js";

/** Options for opening files and selecting rows. `rows` and `where` apply to each file. */
export interface PoolReadOptions
  extends Pick<ScanOptions, "rows" | "where" | "batchRows" | "signal">,
    SentOpenOptions {}

export interface PlannedTask<T> {
  readonly file: JobFile;
  readonly rows: RowTask;
  readonly unpack: (message: OutputMessage) => readonly T[];
}

interface PlanOptions<T> extends PoolReadOptions {
  readonly output: JobOutput<T>;
  readonly signal: AbortSignal;
  /** Maximum number of workers. */
  readonly workers: number;
}

/**
 * The tasks in row order, file after file. Their ends depend on the number of workers.
 *
 * @throws {CFileError} for a file that cannot be sent or opened, after the tasks of the files before it
 */
export async function* planTasks<T>(
  inputs: readonly PoolInput[],
  options: PlanOptions<T>,
): AsyncGenerator<PlannedTask<T>, void, void> {
  const { output, workers, signal, rows: rowRange, where, batchRows } = options;
  const { limits, kernels, verifyChecksums } = options;
  const openOptions = { limits, kernels, verifyChecksums };
  for (const [index, given] of inputs.entries()) {
    const input = fileInput(given);
    const source = await openInput(input);
    try {
      const reader = await openCFile(source, { ...openOptions, signal });
      const range = await reader.candidateRows({ rows: rowRange, where, signal });
      if (range.from >= range.to) {
        continue;
      }
      const id = nextId();
      const file: JobFile = {
        id,
        path: reader.path,
        openMessage: {
          kind: "open",
          file: id,
          input,
          identity: identityOf(reader),
          options: openOptions,
          scanOptions: { batchRows, where },
          work: output.work(index),
        },
      };
      const unpack = await output.unpacker(reader, { signal });
      for await (const rows of cutRows(source, reader, range, {
        ...openOptions,
        signal,
        workers,
        sizes: output.sizes,
      })) {
        yield { file, rows, unpack };
      }
    } finally {
      await source.close?.();
    }
  }
}
