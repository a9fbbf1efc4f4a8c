/** @module @cfile/io/file: files and folders on disk, in Node, Deno and Bun. */
export { diskTree } from "./file/disk-tree.js";
export { type FileDirectoryOptions, fileDirectory } from "./file/file-directory.js";
export { type FileSinkOptions, fileSink } from "./file/file-sink.js";
export { type FileSourceOptions, fileSource } from "./file/file-source.js";
