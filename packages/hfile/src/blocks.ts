/** @module @cfile/hfile/blocks: the parts of an HFile, each parsed alone. */
export { type HFileBlockHeader, parseBlockHeader } from "./blocks/block-header.js";
export { verifyChecksums } from "./blocks/checksum-type.js";
export { decodeDataBlock } from "./encodings/data-block-encoding.js";
export { parseFileInfo } from "./file/file-info.js";
export { type HFileTrailer, parseTrailer } from "./file/trailer.js";
export { type IndexNode, parseIndexNode, parseRootIndex } from "./index/index-node.js";
