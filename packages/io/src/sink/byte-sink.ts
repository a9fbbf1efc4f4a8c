import { invalidArgument } from "@cfile/bytes";

/** A destination for bytes. `write` and `close` fail with `E_INVALID_ARGUMENT` after `close` or `abort`. */
export interface ByteSink {
  /** Path or another name, for errors. */
  readonly name: string;
  /**
   * Writes the next bytes; the caller may change them once the promise settles.
   *
   * @param owned whether the caller never changes them, so that a sink that keeps bytes needs no copy. Default `false`
   */
  write(bytes: Uint8Array, owned?: boolean): Promise<void>;
  /** Discards everything after the first `length` bytes, which must be written. Omitted by sinks that pass bytes on. */
  truncate?(length: number): Promise<void>;
  /** Completes the write. The content may appear under its name only now. */
  close(): Promise<void>;
  /** Discards everything written. Does nothing after `close` or a first `abort`. */
  abort(reason?: unknown): Promise<void>;
}

/** A sink that calls `actions` only in the order that {@link ByteSink} promises: nothing after `close` or `abort`. */
export function orderedSink(actions: ByteSink): ByteSink {
  const { name, truncate } = actions;
  let state: "open" | "closed" | "aborted" = "open";
  const requireOpen = (): void => {
    if (state !== "open") {
      throw invalidArgument(`the sink is already ${state}`, { path: name });
    }
  };
  return {
    name,
    write: async (bytes, owned) => {
      requireOpen();
      await actions.write(bytes, owned);
    },
    ...(truncate !== undefined && {
      truncate: async (length: number) => {
        requireOpen();
        await truncate(length);
      },
    }),
    close: async () => {
      requireOpen();
      state = "closed";
      await actions.close();
    },
    abort: async (reason) => {
      if (state === "open") {
        state = "aborted";
        await actions.abort(reason);
      }
    },
  };
}
