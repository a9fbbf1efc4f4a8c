/** How large the data blocks are once they are expanded, from their size words alone (specification 6). */
import { openSource, readExactly } from "@cfile/io";
import type { BlockLocation, CFileReader } from "cfile";

/**
 * Bytes of all `blocks` before compression; without a codec those are the stored ones.
 *
 * | version | a compressed block starts with |
 * | --- | --- |
 * | 2 | u32le uncompressed size |
 * | 1 | u32le compressed size, u32le uncompressed size |
 */
export async function expandedSize(
  file: CFileReader,
  path: string,
  blocks: readonly BlockLocation[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const { codec, version, checksums } = file.structure.wrapping;
  if (codec === undefined) {
    return blocks.reduce((sum, { size }) => sum + size - (checksums ? 4 : 0), 0);
  }
  const at = version === 1 ? 4 : 0;
  const source = await openSource(path);
  try {
    let total = 0;
    for (const { offset } of blocks) {
      const word = await readExactly(source, offset + at, 4, { signal, field: "uncompressed size" });
      total += new DataView(word.buffer, word.byteOffset, 4).getUint32(0, true);
    }
    return total;
  } finally {
    await source.close?.();
  }
}
