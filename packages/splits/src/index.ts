/** @module @cfile/splits: tables divided into independent pieces of work, one line of JSON per piece. */
export type {
  FilePiece,
  FileSplit,
  RegionPiece,
  RegionSplit,
  RowRange,
  RowSetParts,
  RowSetPiece,
  RowSetSplit,
  SlicePiece,
  SliceSplit,
  Split,
  SplitContent,
  SplitFile,
  TabletPiece,
  TabletSplit,
} from "./lines/split.js";
export { identifiedSplit, parseSplit, SPLIT_VERSION, splitLine } from "./lines/split-line.js";
export type { SplitDirectories } from "./run/read-options.js";
