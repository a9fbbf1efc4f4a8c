/** Counts codecs and encodings in the footers of files from other writers. */
import { openParquet } from "@cfile/parquet";
import { type Coverage, noneOf } from "../coverage.js";

const CODECS = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZ4", "LZ4_RAW", "ZSTD", "BROTLI"];
const ENCODINGS = [
  "PLAIN",
  "PLAIN_DICTIONARY",
  "RLE_DICTIONARY",
  "RLE",
  "BIT_PACKED",
  "DELTA_BINARY_PACKED",
  "DELTA_LENGTH_BYTE_ARRAY",
  "DELTA_BYTE_ARRAY",
  "BYTE_STREAM_SPLIT",
];

/** @param version of the data pages, if it is known */
export async function chunkCoverage(path: string, version?: 1 | 2): Promise<Coverage> {
  const codecs = noneOf(CODECS);
  const encodings = noneOf(ENCODINGS);
  const versions = noneOf(["v1", "v2"]);
  await using file = await openParquet(path);
  for (const { columns } of file.metadata.row_groups) {
    for (const { meta_data: chunk } of columns) {
      if (chunk === undefined) {
        continue;
      }
      codecs[chunk.codec] = (codecs[chunk.codec] ?? 0) + 1;
      if (version !== undefined) {
        versions[`v${version}`] = (versions[`v${version}`] ?? 0) + 1;
      }
      for (const encoding of chunk.encodings) {
        encodings[encoding] = (encodings[encoding] ?? 0) + 1;
      }
    }
  }
  return {
    "column chunks of other writers, by codec": codecs,
    "column chunks of other writers, by encoding": encodings,
    "column chunks of other writers, by page version": versions,
  };
}
