import { concatBytes, invalidArgument } from "@cfile/bytes";
import { type ByteSink, orderedSink } from "./byte-sink.js";

/** A sink in memory. */
export interface MemorySink extends ByteSink {
  /**
   * Everything that was written.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` before `close`
   */
  bytes(): Uint8Array;
}

/** A sink in memory; call `bytes()` after `close()`. */
export function memorySink(name = "memory"): MemorySink {
  let pieces: Uint8Array[] = [];
  let isClosed = false;
  let complete: Uint8Array | undefined;
  const sink = orderedSink({
    name,
    write: async (bytes, owned = false) => void pieces.push(owned ? bytes : bytes.slice()),
    truncate: async (length) => {
      pieces = [concatBytes(pieces).slice(0, length)];
    },
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
        throw invalidArgument("the sink is not closed", { path: name });
      }
      // Not in `close`: a file that is only counted or discarded need not be joined.
      complete ??= concatBytes(pieces.splice(0));
      return complete;
    },
  };
}
