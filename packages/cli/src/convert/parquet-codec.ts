/** Compression of new Parquet files, and of the data files of Iceberg tables. */
import type { WrittenCodec } from "@cfile/parquet/write";
import { UsageError } from "../program/exit-code.js";
import { choice } from "../program/option.js";
import type { TableForm } from "./table-form.js";

/** By their names on the command line. */
const CODECS = {
  zstd: "ZSTD",
  snappy: "SNAPPY",
  gzip: "GZIP",
  lz4: "LZ4_RAW",
  none: "UNCOMPRESSED",
} as const satisfies Readonly<Record<string, WrittenCodec>>;
export type CodecName = keyof typeof CODECS;

export const PARQUET_COMPRESSION = choice(
  "compression of Parquet files: zstd is the smallest, snappy the fastest to write",
  ["zstd", "snappy", "gzip", "lz4", "none"],
  "zstd",
);

/** @throws UsageError for a codec with any other format */
export function parquetCodec(
  form: TableForm | "iceberg",
  name: CodecName | undefined,
): WrittenCodec | undefined {
  if (name !== undefined && form !== "parquet" && form !== "iceberg") {
    throw new UsageError(`--compression is for Parquet and Iceberg, not for ${form}`);
  }
  return name && CODECS[name];
}
