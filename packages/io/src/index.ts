/** @module @cfile/io: byte sources to read from and byte sinks to write to, the same everywhere. */
export { type AsyncBuffer, asyncBufferSource } from "./async-buffer-source.js";
export { blobSource } from "./blob-source.js";
export { type ByteDirectory, isFileName } from "./byte-directory.js";
export type { ByteSink } from "./byte-sink.js";
export {
  type ByteSource,
  type ExactReadOptions,
  type ReadOptions,
  readExactly,
  sizeOf,
} from "./byte-source.js";
export { type FileDirectoryOptions, fileDirectory } from "./file-directory.js";
export { fileSink } from "./file-sink.js";
export { fileSource } from "./file-source.js";
export { type HttpSourceOptions, httpSource } from "./http-source.js";
export {
  type DirectoryOperation,
  MemoryDirectory,
  type MemoryDirectoryOptions,
} from "./memory-directory.js";
export { type MemorySink, memorySink } from "./memory-sink.js";
export { memorySource } from "./memory-source.js";
export { type SourceMetrics, withMetrics } from "./metrics.js";
export { openSink, type SinkInput } from "./open-sink.js";
export { openSource, type SourceInput } from "./open-source.js";
export { streamSink } from "./stream-sink.js";
