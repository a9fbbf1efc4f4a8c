import { invalidArgument } from "@cfile/bytes";
import type { FileSinkOptions } from "../file/file-sink.js";
import { locationKind } from "../source/location.js";
import type { ByteSink } from "./byte-sink.js";

/** All that can be written to: a path, a `file:` URL, a `WritableStream`, a sink. */
export type SinkInput = string | URL | WritableStream<Uint8Array> | ByteSink;

/**
 * The sink for any target. A sink passed in is returned as it is. Code for files is lazily loaded.
 *
 * @param options for files
 *
 * @throws CFileError as `fileSink`; `E_UNSUPPORTED` for a path where there are no files, `E_INVALID_ARGUMENT` for
 *   a stream with another writer and for something else
 */
export async function openSink(target: SinkInput, options: FileSinkOptions = {}): Promise<ByteSink> {
  if (typeof target === "string" || target instanceof URL) {
    if (locationKind(target) !== "file") {
      throw invalidArgument(`${String(target)} cannot be written to`, { field: "target" });
    }
    return (await import("../file/file-sink.js")).fileSink(target, options);
  }
  if (typeof target === "object" && target !== null) {
    if ("getWriter" in target) {
      return (await import("./stream-sink.js")).streamSink(target);
    }
    if ("write" in target && "close" in target && "abort" in target) {
      return target;
    }
  }
  throw invalidArgument("a path, file: URL, WritableStream or ByteSink is expected", {
    field: "target",
    actual: typeof target,
  });
}
