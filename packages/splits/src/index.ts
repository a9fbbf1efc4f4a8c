/** @module @cfile/splits: independent pieces of work over CFiles, row sets and Kudu directories, and what runs them. */
export type {
  FilePiece,
  FileSplit,
  RowRange,
  RowSetPiece,
  RowSetSplit,
  Split,
  SplitContent,
  SplitFile,
  TabletPiece,
  TabletSplit,
} from "./lines/split.js";
export { identifiedSplit, parseSplit, SPLIT_VERSION, splitLine } from "./lines/split-line.js";
