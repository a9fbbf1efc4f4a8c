/** The batches of one task, in its worker. */
import { type CFileError, corrupt } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { CFileReader, ScanOptions } from "@cfile/format";
import type { RowTask } from "../pool/row-tasks.js";

type Step = IteratorResult<ColumnBatch, void>;

/**
 * Ends with the errors of `CFileReader.scan`, or with `E_CORRUPT` if the last block does not end where the positional index says. An
 * iterator instead of a generator: each layer of those costs several microtasks per batch.
 */
export class TaskBatches implements AsyncIterableIterator<ColumnBatch> {
  /** The error with which the batches have ended. */
  failure: { readonly error: unknown } | undefined;
  private readonly path: string;
  private readonly rows: RowTask;
  private readonly isFiltered: boolean;
  private readonly scan: AsyncGenerator<ColumnBatch, void, void>;
  private nextRow: number;
  /** Whether the remaining rows are skipped, so that the end of the last block is unknown. */
  private isLeft = false;

  constructor(file: CFileReader, rows: RowTask, options: Omit<ScanOptions, "rows">) {
    const { from, to } = rows;
    this.path = file.path;
    this.rows = rows;
    this.isFiltered = options.where !== undefined;
    this.nextRow = from;
    const onBlock = (blockEnd: number): void => {
      this.nextRow = blockEnd;
      options.onBlock?.(blockEnd);
    };
    this.scan = file.scan({ ...options, rows: { from, to }, onBlock });
  }

  next(): Promise<Step> {
    return this.scan.next().then(this.onStep, this.onError);
  }

  return(): Promise<Step> {
    this.isLeft = true;
    return this.scan.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private readonly onStep = (step: Step): Step => {
    const error = step.done === true && !this.isLeft ? this.errorAtEnd() : undefined;
    return error === undefined ? step : this.onError(error);
  };

  private readonly onError = (error: unknown): never => {
    this.failure ??= { error };
    throw error;
  };

  private errorAtEnd(): CFileError | undefined {
    const { nextRow, path } = this;
    const { to, next } = this.rows;
    const isRight = this.isFiltered ? nextRow <= to : nextRow === to;
    if (next === undefined || isRight) {
      return undefined;
    }
    const reason = `block ends before row ${nextRow} (the positional index has the next one at row ${to})`;
    return corrupt(reason, { path, block: next, field: "ordinal", expected: nextRow, actual: to });
  }
}
