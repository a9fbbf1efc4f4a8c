/** Uses the library as a program would, in any runtime: open, scan, look up, find, write. */
import { openCFile } from "cfile";
import { rewriteCFile } from "cfile/recover";

/**
 * Golden files by the code they need: kernels or their portable versions, codecs, indexes, strings, nulls.
 */
export const SCANNED = [
  "comp_lz4_indexes",
  "comp_snappy_int32_plain",
  "comp_zlib_int32_plain",
  "enc_int32_bshuf_null_n1000",
  "enc_int32_rle_n1000",
  "enc_string_dict_n1000",
  "enc_string_prefix_n1000",
];

/** The file to search and rewrite: PLAIN, LZ4, with both indexes. */
export const WRITTEN = "comp_lz4_indexes";

/**
 * @typedef {import("cfile").SourceInput} SourceInput
 * @typedef {{ values: Record<string, unknown[]>, row: unknown, found: unknown }} ReadReport
 */

/**
 * Reads the golden files.
 *
 * @param {(name: string) => SourceInput} inputOf
 * @returns {Promise<ReadReport>}
 */
export async function readFiles(inputOf) {
  /** @type {Record<string, unknown[]>} */
  const values = {};
  for (const name of SCANNED) {
    const file = await openCFile(inputOf(name));
    values[name] = await file.toArray();
    await file.close();
  }
  const searched = await openCFile(inputOf(WRITTEN));
  const report = { values, row: await searched.get(2000), found: await searched.find(1000) };
  await searched.close();
  return report;
}

/**
 * Rewrites a file as Kudu wrote it.
 * @param {SourceInput} input
 * @param {import("cfile").SinkInput} target
 */
export async function writeFile(input, target) {
  const file = await openCFile(input, { header: "read" });
  await rewriteCFile(file, target, { blockSize: 512, indexBlockSize: 80, batchRows: 10 });
  await file.close();
}
