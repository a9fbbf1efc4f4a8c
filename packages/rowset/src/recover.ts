/** @module @cfile/rowset/recover: rebuild Bloom files and ad-hoc indexes from the key columns of a row set. */
export {
  type RebuildBloomOptions,
  type RebuildOptions,
  type RebuiltBloomFile,
  rebuildAdhocIndex,
  rebuildBloomFile,
} from "./recover/rebuild-key-files.js";
