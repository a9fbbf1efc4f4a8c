import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ByteSink, orderedSink } from "./byte-sink.js";

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
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CFileError("E_IO", `the stream cannot be written: ${reason}`, { path: name, cause: error });
    }
  };
  return orderedSink({
    name,
    // A stream may keep what it is given, while the caller may change it.
    write: (bytes) => {
      const kept = bytes.slice();
      return attempt(() => writer.write(kept));
    },
    close: () => attempt(() => writer.close()),
    abort: (reason) => writer.abort(reason).catch(() => undefined),
  });
}
