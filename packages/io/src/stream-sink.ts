import { CFileError } from "@cfile/bytes";
import type { ByteSink } from "./byte-sink.js";

/** A sink into a `WritableStream`. `abort` aborts the stream: what its reader does with what it has is its affair. */
export function streamSink(stream: WritableStream<Uint8Array>, name = "stream"): ByteSink {
  const writer = stream.getWriter();
  let settled = false;
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
    // A stream may keep what it is given, while the caller may change it.
    write: (bytes) => attempt(() => writer.write(bytes.slice())),
    close: () =>
      attempt(async () => {
        settled = true;
        await writer.close();
      }),
    abort: async (reason) => {
      if (!settled) {
        settled = true;
        await writer.abort(reason).catch(() => undefined);
      }
    },
  };
}
