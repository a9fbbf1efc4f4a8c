/** @module @cfile/parquet: CFiles and row sets to Parquet and back; Parquet files verified and recovered page by page. */
export { tableOfFiles } from "@cfile/format";
export type { ParquetKeys } from "./crypto/file-cipher.js";
export type { AesKey } from "./crypto/module-cipher.js";
export type { PageDecompressors } from "./pages/page-codec.js";
export type { ChunkOptions } from "./read/page-reader.js";
export { openParquet, ParquetFile, type ParquetScanOptions } from "./read/parquet-file.js";
export type { ParquetColumn } from "./schema/readable-leaf.js";
export type { ParquetLoss, ParquetReport } from "./verify/verify-pages.js";
