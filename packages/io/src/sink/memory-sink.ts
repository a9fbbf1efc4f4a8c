import { concatBytes, invalidArgument } from "@cfile/bytes";
import { type ByteSink, requireOpenSink, type SinkState } from "./byte-sink.js";

/** A sink into memory. */
export interface MemorySink extends ByteSink {
  /**
   * What was written.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` before `close`
   */
  bytes(): Uint8Array;
}

export function memorySink(name = "memory"): MemorySink {
  let state: SinkState = "open";
  let pieces: Uint8Array[] = [];
  let complete: Uint8Array | undefined;
  return {
    name,
    write: async (bytes, given = false) => {
      requireOpenSink(state, name);
      pieces.push(given ? bytes : bytes.slice());
    },
    close: async () => {
      requireOpenSink(state, name);
      state = "closed";
    },
    abort: async () => {
      if (state === "open") {
        state = "aborted";
        pieces = [];
      }
    },
    bytes: () => {
      if (state !== "closed") {
        throw invalidArgument("what was written is not complete", { path: name });
      }
      complete ??= concatBytes(pieces.splice(0));
      return complete;
    },
  };
}
