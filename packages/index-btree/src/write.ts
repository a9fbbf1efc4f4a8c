/** @module @cfile/index-btree/write: builds index blocks and index trees. */
export { IndexBlockBuilder } from "./index-block-builder.js";
export { IndexTreeBuilder, type IndexTreeBuilderOptions } from "./index-tree-builder.js";
