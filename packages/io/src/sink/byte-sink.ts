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

/**
 * A sink that calls `actions` only in the order that {@link ByteSink} promises: nothing after `close` or `abort`.
 *
 * @param actions its `abort` is called at most once, and not after `close`
 */
export function orderedSink(actions: ByteSink): ByteSink {
  const { name } = actions;
  let state: "open" | "closed" | "aborted" = "open";
  const requireOpen = (): void => {
    if (state !== "open") {
      throw invalidArgument(`the sink is ${state}`, { path: name });
    }
  };
  return {
    name,
    write: async (bytes, given) => {
      requireOpen();
      await actions.write(bytes, given);
    },
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
