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
  let complete: Uint8Array | undefined;
  const sink = orderedSink({
    name,
    write: async (bytes, owned = false) => void pieces.push(owned ? bytes : bytes.slice()),
    truncate: async (length) => {
      pieces = [concatBytes(pieces).slice(0, length)];
    },
    close: async () => {
      complete = concatBytes(pieces.splice(0));
    },
    abort: async () => {
      pieces.length = 0;
    },
  });
  return {
    ...sink,
    bytes: () => {
      if (complete === undefined) {
        throw invalidArgument("the sink is not closed", { path: name });
      }
      return complete;
    },
  };
}
