/** Failures of functions that a pool calls in its workers. */

/** Where a function failed. */
export interface MapErrorPlace {
  /** Path, URL or name of the file. */
  readonly path: string;
  /** The rows of the task, `from` (inclusive) to `to` (exclusive). */
  readonly rows: { readonly from: number; readonly to: number };
}

/**
 * The function of `WorkerPool.map` threw an exception, or returned a result that a structured clone cannot carry. `cause` is a
 * structured clone of the thrown value: errors keep message, stack and standard names such as `TypeError`, but neither class nor own
 * properties; a `CFileError` keeps all fields. It is text if it cannot be cloned. Errors of the file itself are a `CFileError`, not a
 * `MapError`.
 */
export class MapError extends Error {
  override readonly name = "MapError";
  /** Path, URL or name of the file whose rows the function read. */
  readonly path: string;
  /** The rows of the task, `from` (inclusive) to `to` (exclusive). */
  readonly rows: { readonly from: number; readonly to: number };

  /** @param reason the exception as text */
  constructor(reason: string, { path, rows: { from, to } }: MapErrorPlace, cause: unknown) {
    super(`${reason} [${path}, rows ${from} to ${to}]`, { cause });
    this.path = path;
    this.rows = { from, to };
  }
}
