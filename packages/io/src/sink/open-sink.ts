import { invalidArgument } from "@cfile/bytes";
import type { FileSinkOptions } from "../file/file-sink.js";
import { locationKind } from "../source/location.js";
import type { ByteSink } from "./byte-sink.js";

/** Everything that can be written to: a path, a `file:` URL, a `WritableStream`, a sink. */
export type SinkInput = string | URL | WritableStream<Uint8Array> | ByteSink;

/**
 * The sink for any target. A sink is returned unchanged. Code for files is lazily loaded.
 *
 * @param options for files
 * @throws {CFileError} like `fileSink`; `E_UNSUPPORTED` for a path where there is no file system; `E_INVALID_ARGUMENT` for a
 *   stream with another writer and for any other target
 */
export async function openSink(target: SinkInput, options: FileSinkOptions = {}): Promise<ByteSink> {
  if (typeof target === "string" || target instanceof URL) {
    if (locationKind(target) !== "file") {
      throw invalidArgument(`unsupported target: ${String(target)} (expected a path or file: URL)`, {
        field: "target",
      });
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
  const actual = typeof target;
  throw invalidArgument(
    `unsupported target: ${actual} (expected a path, file: URL, WritableStream or ByteSink)`,
    { field: "target", actual },
  );
}
