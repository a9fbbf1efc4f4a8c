/** @module @cfile/io/browser: Blobs, folders chosen by the user, and stores for `withCache` in browsers. */
export { blobSource } from "./browser/blob-source.js";
export { type CacheApiStoreOptions, cacheApiStore } from "./browser/cache-api-store.js";
export {
  type DirectoryHandle,
  type FileHandle,
  fileListTree,
  handleTree,
  type ListedFile,
} from "./browser/handle-tree.js";
export { type OpfsStoreOptions, opfsStore } from "./browser/opfs-store.js";
