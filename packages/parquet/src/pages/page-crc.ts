/**
 * The CRC of a page: CRC-32, as gzip has it, of the bytes that are stored behind its header
 * (docs/spec/parquet.md#9-page-crc).
 */
import { choosePageKernels } from "@cfile/kernels/pages";

export function pageCrc(stored: Uint8Array): number {
  return choosePageKernels().crc32(stored) >>> 0;
}
