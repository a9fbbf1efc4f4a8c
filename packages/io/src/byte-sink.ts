/** The one way out. */
export interface ByteSink {
  /** Path or another name, for errors. */
  readonly name: string;
  /** Takes the next bytes; the caller may change them once the promise is settled. */
  write(bytes: Uint8Array): Promise<void>;
  /** Completes what was written; only now it may appear under its name. */
  close(): Promise<void>;
  /** Gives up: nothing of what was written remains. Does nothing after `close` or a first `abort`. */
  abort(reason?: unknown): Promise<void>;
}
