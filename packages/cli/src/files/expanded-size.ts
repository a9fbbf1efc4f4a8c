/**
 * The size of the data blocks before compression, from their size words alone (docs/spec/cfile.md#6-compression-wrapper).
 */
import { readRanges } from "@cfile/io";
import type { BlockLocation, CFileReader } from "cfile";

/**
 * Bytes of all `blocks` before compression; without a codec, the stored bytes.
 *
 * | version | a compressed block starts with |
 * | --- | --- |
 * | 2 | u32le uncompressed size |
 * | 1 | u32le compressed size, u32le uncompressed size |
 */
export async function expandedSize(
  file: CFileReader,
  blocks: readonly BlockLocation[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const { codec, version, checksums } = file.structure.wrapping;
  if (codec === undefined) {
    return blocks.reduce((sum, { size }) => sum + size - (checksums ? 4 : 0), 0);
  }
  const at = version === 1 ? 4 : 0;
  const words = await readRanges(
    file.source,
    blocks.map(({ offset }) => ({ offset: offset + at, length: 4 })),
    { signal, field: "uncompressed size" },
  );
  return words.reduce(
    (total, word) => total + new DataView(word.buffer, word.byteOffset, 4).getUint32(0, true),
    0,
  );
}
