import { ByteBuilder, invalidArgument } from "@cfile/bytes";
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
  let gathered = new ByteBuilder();
  let complete: Uint8Array | undefined;
  return {
    name,
    write: async (bytes) => {
      requireOpenSink(state, name);
      gathered.append(bytes);
    },
    close: async () => {
      requireOpenSink(state, name);
      state = "closed";
      complete = gathered.finish();
    },
    abort: async () => {
      if (state === "open") {
        state = "aborted";
        gathered = new ByteBuilder();
      }
    },
    bytes: () => {
      if (complete === undefined) {
        throw invalidArgument("what was written is not complete", { path: name });
      }
      return complete;
    },
  };
}
