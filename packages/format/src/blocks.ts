/** @module @cfile/format/blocks: open one block, and annotate each of its bytes. */
export {
  type AnnotatedColumn,
  annotateDataBlock,
  annotateDictionary,
} from "./annotate/annotate-data-block.js";
export { annotateBloomBlock, annotateFooter, annotateHeader } from "./annotate/annotate-file-frame.js";
export { annotateIndexBlock, type KeysOf } from "./annotate/annotate-index-block.js";
export { type NotedStream, noteRle } from "./annotate/annotate-rle.js";
export { annotateStoredBlock } from "./annotate/annotate-wrapper.js";
export { type AnnotateOptions, type ByteNote, ByteNotes, type ByteRole } from "./annotate/byte-note.js";
export { type BlockWrapping, unwrapBlock, wrapBlock } from "./blocks/block-wrapper.js";
