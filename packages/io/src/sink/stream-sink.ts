import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ByteSink, requireOpenSink, type SinkState } from "./byte-sink.js";

/**
 * A sink into a `WritableStream`. `abort` aborts the stream: what its reader does with what it has is its affair.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when the stream has another writer; later, `E_IO` when the stream fails
 */
export function streamSink(stream: WritableStream<Uint8Array>, name = "stream"): ByteSink {
  if (stream.locked) {
    throw invalidArgument("the stream is already written to by another writer", { path: name });
  }
  const writer = stream.getWriter();
  let state: SinkState = "open";
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CFileError("E_IO", `the stream cannot be written: ${reason}`, { path: name, cause: error });
    }
  };
  return {
    name,
    write: async (bytes) => {
      requireOpenSink(state, name);
      // A stream may keep what it is given, while the caller may change it.
      const kept = bytes.slice();
      await attempt(() => writer.write(kept));
    },
    close: async () => {
      requireOpenSink(state, name);
      state = "closed";
      await attempt(() => writer.close());
    },
    abort: async (reason) => {
      if (state === "open") {
        state = "aborted";
        await writer.abort(reason).catch(() => undefined);
      }
    },
  };
}
