/**
 * @module @cfile/io: byte sources to read and byte sinks to write. `openSource` and `openSink` lazily load the code for files
 * and networks.
 */

export { type ByteDirectory, type DirectoryLock, isFileName } from "./directory/byte-directory.js";
export { type FileTree, memoryTree, type TreeEntry, treeOfPaths } from "./directory/file-tree.js";
export {
  type DirectoryOperation,
  MemoryDirectory,
  type MemoryDirectoryOptions,
} from "./directory/memory-directory.js";
export type { ByteSink } from "./sink/byte-sink.js";
export { type MemorySink, memorySink } from "./sink/memory-sink.js";
export { openSink, type SinkInput } from "./sink/open-sink.js";
export { SinkQueue } from "./sink/sink-queue.js";
export type { AsyncBuffer } from "./source/async-buffer-source.js";
export {
  type ByteParts,
  type ByteRange,
  type ByteSource,
  type ExactReadOptions,
  type ReadOptions,
  readExactly,
  readParts,
  type SourceTraffic,
  sizeOf,
} from "./source/byte-source.js";
export { memorySource } from "./source/memory-source.js";
export {
  type OpenSourceOptions,
  openSource,
  openWith,
  retryWhenReplaced,
  type SourceInput,
} from "./source/open-source.js";
export { readRanges } from "./source/read-ranges.js";
