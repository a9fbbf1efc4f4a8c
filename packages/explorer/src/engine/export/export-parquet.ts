/** A module of its own, so that bundlers load only this part of the package. */
export { exportParquet } from "@cfile/parquet/write";
