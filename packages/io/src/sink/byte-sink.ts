import { invalidArgument } from "@cfile/bytes";

/** Where bytes go to. `write` and `close` fail with `E_INVALID_ARGUMENT` after `close` or `abort`. */
export interface ByteSink {
  /** Path or another name, for errors. */
  readonly name: string;
  /**
   * Writes the next bytes; the caller may change them once the promise is settled.
   *
   * @param given whether the caller will not change them: a sink that keeps bytes then needs no copy. Default `false`
   */
  write(bytes: Uint8Array, given?: boolean): Promise<void>;
  /** Completes what was written; only now it may appear under its name. */
  close(): Promise<void>;
  /** Aborts: nothing of what was written remains. Does nothing after `close` or a first `abort`. */
  abort(reason?: unknown): Promise<void>;
}

export type SinkState = "open" | "closed" | "aborted";

/** @throws CFileError `E_INVALID_ARGUMENT` */
export function requireOpenSink(state: SinkState, name: string): void {
  if (state !== "open") {
    throw invalidArgument(`the sink is ${state}`, { path: name });
  }
}
