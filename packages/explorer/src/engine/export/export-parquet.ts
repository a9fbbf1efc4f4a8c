/** A file of its own, so that only this of the package is in what is loaded. */
export { exportParquet } from "@cfile/parquet/write";
