/** Progress of an operation, in units that depend on the operation: rows of a scan, data blocks of a check. */
export interface Progress {
  readonly done: number;
  /** The value of `done` at the end, unless the operation is aborted. */
  readonly total: number;
}

/** Options of long operations. */
export interface WorkOptions {
  /** Aborts the operation, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each unit or group of units. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
