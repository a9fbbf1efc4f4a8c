/** @module @cfile/index-btree: searches the B-tree indexes of CFiles. */
export { IndexBlock } from "./index-block.js";
export type { IndexNode, ParentEntry } from "./index-nodes.js";
export { IndexCursor, IndexTree } from "./index-tree.js";
export type { IndexKind, IndexReadOptions, IndexTreeOptions, OrderedKeyEnd } from "./index-tree-options.js";
export { decodePositionalKey, encodePositionalKey, POSITIONAL_KEY_LENGTH } from "./positional-key.js";
