/** @module @cfile/io/browser: Blobs, folders that the user chose, and stores for `withCache` in browsers. */
export { blobSource } from "./blob-source.js";
export { type CacheApiStoreOptions, cacheApiStore } from "./cache-api-store.js";
export {
  type DirectoryHandle,
  type FileHandle,
  fileListTree,
  handleTree,
  type ListedFile,
} from "./handle-tree.js";
export { type OpfsStoreOptions, opfsStore } from "./opfs-store.js";
