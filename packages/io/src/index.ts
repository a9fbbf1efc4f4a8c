/** @module @cfile/io: byte sources to read from and byte sinks to write to, the same everywhere. */
export { type AsyncBuffer, asyncBufferSource } from "./async-buffer-source.js";
export { blobSource } from "./blob-source.js";
export { type ByteDirectory, isFileName } from "./byte-directory.js";
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
export { type CacheOptions, withCache } from "./cache.js";
export { type CacheApiStoreOptions, cacheApiStore } from "./cache-api-store.js";
export { type CoalescingOptions, withCoalescing } from "./coalescing.js";
export { diskTree } from "./disk-tree.js";
export { type FileDirectoryOptions, fileDirectory } from "./file-directory.js";
export type { DirectoryLock } from "./file-lock.js";
export { type FileSinkOptions, fileSink } from "./file-sink.js";
export { fileSource } from "./file-source.js";
export { type FileTree, memoryTree, type TreeEntry, treeOfPaths } from "./file-tree.js";
export {
  type DirectoryHandle,
  type FileHandle,
  fileListTree,
  handleTree,
  type ListedFile,
} from "./handle-tree.js";
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
export { type OpenSourceOptions, openSource, type SourceInput } from "./open-source.js";
export { type OpfsStoreOptions, opfsStore } from "./opfs-store.js";
export { memoryStore, type PageKey, type PageStore } from "./page-store.js";
export { readRanges } from "./read-ranges.js";
export { isPassing, type RetryOptions, withRetry } from "./retry.js";
export {
  parseS3Location,
  type S3Client,
  type S3FetchOptions,
  type S3SdkOptions,
  type S3SourceOptions,
  s3Source,
} from "./s3-source.js";
export { SharedRequest } from "./shared-request.js";
export { SinkQueue } from "./sink-queue.js";
export { streamSink } from "./stream-sink.js";
