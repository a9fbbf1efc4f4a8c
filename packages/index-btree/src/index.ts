/** @module @cfile/index-btree: the B-tree indexes of CFiles: reading, searching and building them. */
export { IndexBlock } from "./index-block.js";
export type { IndexNode, IndexPlace } from "./index-node.js";
export { IndexCursor, IndexTree } from "./index-tree.js";
export type { IndexKind, IndexReadOptions, IndexTreeOptions } from "./index-tree-options.js";
export type { OrderedKeyEnd } from "./ordered-key.js";
export { decodePositionalKey, encodePositionalKey, POSITIONAL_KEY_LENGTH } from "./positional-key.js";
