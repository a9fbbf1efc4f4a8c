/** @module @cfile/index-btree/walk: go through all blocks of an index tree. */
export { type IndexBlockStep, type IndexEntryStep, walkIndexNodes, walkIndexTree } from "./index-walk.js";
