import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import type { ByteSink } from "./byte-sink.js";

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
  let open: ByteBuilder | undefined = new ByteBuilder();
  let complete: Uint8Array | undefined;
  return {
    name,
    write: async (bytes) => {
      if (open === undefined) {
        throw invalidArgument("the sink is closed", { path: name });
      }
      open.append(bytes);
    },
    close: async () => {
      complete ??= open?.finish();
      open = undefined;
    },
    abort: async () => {
      open = undefined;
    },
    bytes: () => {
      if (complete === undefined) {
        throw invalidArgument("what was written is not complete", { path: name });
      }
      return complete;
    },
  };
}
