/** How far work has come, in units of its own: the rows of a scan, the data blocks of a check. */
export interface Progress {
  readonly done: number;
  /** What `done` ends at, unless the work is stopped. */
  readonly total: number;
}

/** Options of everything that takes its time. */
export interface WorkOptions {
  /** Stops the work, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each unit or group of units. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
