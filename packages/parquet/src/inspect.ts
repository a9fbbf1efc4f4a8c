/** @module @cfile/parquet/inspect: the structure of Parquet files. */
export {
  type ChunkDescription,
  chunkPages,
  describeParquet,
  type PageDescription,
  type ParquetDescription,
  type PartRange,
  type RowGroupDescription,
} from "./inspect/describe-parquet.js";
export { messageTypeLines } from "./inspect/message-type-text.js";
