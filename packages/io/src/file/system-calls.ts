/**
 * Decides for each call to the file system whether it blocks the thread. Handing a call to another thread takes longer than most calls that
 * the system's cache answers.
 */

/** A call that takes longer than this time, and than its bytes at this rate, was not answered from the system's cache. */
const CACHED_MILLISECONDS = 0.5;
/** Reads into new memory are slow on some virtual machines: 300 MB/s from the cache have been seen. */
const CACHED_BYTES_PER_MILLISECOND = 250_000;
/** Maximum number of calls that do not block after slow ones, so that they overlap. */
const MAX_FREE_CALLS = 64;
/** After this time without other events, calls do not block: messages, timers and imports wait for it. */
const MAX_BLOCKING_MILLISECONDS = 20;

type Done<T> = (error: Error | null, result: T) => void;

/** The calls for one file, or for all files of a tree. */
export class SystemCalls {
  /** Whether calls may block at all. */
  readonly mayBlock: boolean;
  private free = 0;
  /** Doubled with each slow call: a single one may have waited for the processor, not for the disk. */
  private nextFree = 1;
  /** When the thread last handled other events. The first call does not block: a thread may open many files, each with calls of its own. */
  private lastTurn = Number.NEGATIVE_INFINITY;

  constructor(mayBlock: boolean) {
    this.mayBlock = mayBlock;
  }

  /**
   * Makes a call in one of two forms.
   *
   * @param blocking returns the result, or throws
   * @param free passes the result or an error to `done`
   * @param bytes number of bytes that the call reads. Default 0
   */
  call<T>(blocking: () => T, free: (done: Done<T>) => void, bytes = 0): T | Promise<T> {
    const before = performance.now();
    if (!this.mayBlock || this.free-- > 0 || before - this.lastTurn > MAX_BLOCKING_MILLISECONDS) {
      return new Promise((resolve, reject) =>
        free((error, result) => {
          this.lastTurn = performance.now();
          error === null ? resolve(result) : reject(error);
        }),
      );
    }
    const result = blocking();
    const allowed = CACHED_MILLISECONDS + bytes / CACHED_BYTES_PER_MILLISECOND;
    if (performance.now() - before > allowed) {
      this.free = this.nextFree;
      this.nextFree = Math.min(2 * this.nextFree, MAX_FREE_CALLS);
    } else {
      this.nextFree = 1;
    }
    return result;
  }
}
