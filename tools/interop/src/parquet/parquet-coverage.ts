/** What the files that others wrote have in them: codecs and encodings, as DuckDB tells from their footers. */
import { type Coverage, noneOf } from "../coverage.js";
import { query } from "./duckdb-rows.js";

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
  for (const [codec, list] of await query(`select compression, encodings from parquet_metadata('${path}')`)) {
    codecs[String(codec)] = (codecs[String(codec)] ?? 0) + 1;
    if (version !== undefined) {
      versions[`v${version}`] = (versions[`v${version}`] ?? 0) + 1;
    }
    for (const encoding of String(list).split(/[, ]+/)) {
      encodings[encoding] = (encodings[encoding] ?? 0) + 1;
    }
  }
  return {
    "column chunks of others by codec": codecs,
    "column chunks of others by encoding": encodings,
    "column chunks of others by version of their pages": versions,
  };
}
