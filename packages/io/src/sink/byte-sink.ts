import { invalidArgument } from "@cfile/bytes";

/** The one way out. `write` and `close` fail with `E_INVALID_ARGUMENT` after `close` or `abort`. */
export interface ByteSink {
  /** Path or another name, for errors. */
  readonly name: string;
  /**
   * Takes the next bytes; the caller may change them once the promise is settled.
   *
   * @param given whether nobody will change them: a sink that keeps bytes then needs no copy. Default `false`
   */
  write(bytes: Uint8Array, given?: boolean): Promise<void>;
  /** Completes what was written; only now it may appear under its name. */
  close(): Promise<void>;
  /** Gives up: nothing of what was written remains. Does nothing after `close` or a first `abort`. */
  abort(reason?: unknown): Promise<void>;
}

export type SinkState = "open" | "closed" | "aborted";

/** @throws CFileError `E_INVALID_ARGUMENT` */
export function requireOpenSink(state: SinkState, name: string): void {
  if (state !== "open") {
    throw invalidArgument(`the sink is ${state}`, { path: name });
  }
}
