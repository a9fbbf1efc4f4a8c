import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ByteSink, orderedSink } from "./byte-sink.js";

/**
 * A sink into a `WritableStream`. `abort` aborts the stream, whose reader may have received a part.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the stream has another writer; later, `E_IO` when the stream fails
 */
export function streamSink(stream: WritableStream<Uint8Array>, name = "stream"): ByteSink {
  if (stream.locked) {
    throw invalidArgument("cannot write the stream: it has another writer", { path: name });
  }
  const writer = stream.getWriter();
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CFileError("E_IO", `cannot write the stream: ${reason}`, { path: name, cause: error });
    }
  };
  return orderedSink({
    name,
    // A stream may keep the bytes, and the caller may change them.
    write: (bytes) => attempt(() => writer.write(bytes.slice())),
    close: () => attempt(() => writer.close()),
    abort: (reason) => writer.abort(reason).catch(() => undefined),
  });
}
