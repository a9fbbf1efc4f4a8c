/**
 * @module @cfile/io: byte sources to read from and byte sinks to write to, the same everywhere. Code for files and networks is
 * loaded by `openSource` and `openSink` when an input is of that kind.
 */
export type { AsyncBuffer } from "./async-buffer-source.js";
export { type ByteDirectory, type DirectoryLock, isFileName } from "./byte-directory.js";
export type { ByteSink } from "./byte-sink.js";
export {
  type ByteRange,
  type ByteSource,
  type ExactReadOptions,
  type ReadOptions,
  readExactly,
  type SourceTraffic,
  sizeOf,
} from "./byte-source.js";
export { type FileTree, memoryTree, type TreeEntry, treeOfPaths } from "./file-tree.js";
export {
  type DirectoryOperation,
  MemoryDirectory,
  type MemoryDirectoryOptions,
} from "./memory-directory.js";
export { type MemorySink, memorySink } from "./memory-sink.js";
export { memorySource } from "./memory-source.js";
export { openSink, type SinkInput } from "./open-sink.js";
export { type OpenSourceOptions, openSource, type SourceInput } from "./open-source.js";
export { readRanges } from "./read-ranges.js";
export { SinkQueue } from "./sink-queue.js";
