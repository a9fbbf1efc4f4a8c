/** Functions that a pool calls in its workers. */
import type { ColumnBatch } from "@cfile/encodings";

/** The task of a function, which it receives as an argument. */
export interface MapTask<Argument = unknown> {
  /** Index of the file among the inputs; 0 for a single one. */
  readonly input: number;
  /** The rows of the task, `from` (inclusive) to `to` (exclusive). With a `where`, the batches may have fewer. */
  readonly rows: { readonly from: number; readonly to: number };
  /** A clone of the option `argument`. Tasks in the same worker share it: do not change it. */
  readonly argument: Argument;
  /** Aborted when the result is no longer needed. The batches then end with an error. */
  readonly signal: AbortSignal;
}

/**
 * A function for `WorkerPool.map`. A batch, its arrays and all views of them are valid until the next batch is requested, or until the
 * function has returned. The batches can be iterated once, and need not be read to the end. The result is sent as a structured clone.
 */
export type MapFunction<Result = unknown, Argument = never> = (
  batches: AsyncIterable<ColumnBatch>,
  task: MapTask<Argument>,
) => Result | Promise<Result>;

/** The argument that a function expects; `unknown` if it does not say. */
export type MapArgument<F> = F extends (batches: never, task: MapTask<infer Argument>) => unknown
  ? [Argument] extends [never]
    ? unknown
    : Argument
  : unknown;
