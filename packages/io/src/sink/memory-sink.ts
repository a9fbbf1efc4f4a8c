import { concatBytes, invalidArgument } from "@cfile/bytes";
import { type ByteSink, orderedSink } from "./byte-sink.js";

/** A sink into memory. */
export interface MemorySink extends ByteSink {
  /**
   * What was written.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` before `close`
   */
  bytes(): Uint8Array;
}

/** A sink in memory; `bytes()` gives what was written once it is closed. */
export function memorySink(name = "memory"): MemorySink {
  const pieces: Uint8Array[] = [];
  let isClosed = false;
  let complete: Uint8Array | undefined;
  const sink = orderedSink({
    name,
    write: async (bytes, given = false) => void pieces.push(given ? bytes : bytes.slice()),
    close: async () => {
      isClosed = true;
    },
    abort: async () => {
      pieces.length = 0;
    },
  });
  return {
    ...sink,
    bytes: () => {
      if (!isClosed) {
        throw invalidArgument("what was written is not complete", { path: name });
      }
      complete ??= concatBytes(pieces.splice(0));
      return complete;
    },
  };
}
