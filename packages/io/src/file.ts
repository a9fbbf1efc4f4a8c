/** @module @cfile/io/file: files and folders on disk, in Node, Deno and Bun. */
export { diskTree } from "./disk-tree.js";
export { type FileDirectoryOptions, fileDirectory } from "./file-directory.js";
export { type FileSinkOptions, fileSink } from "./file-sink.js";
export { fileSource } from "./file-source.js";
