import { memorySource } from "@cfile/io";
import { parseBlockHeader } from "../src/blocks/block-header.js";
import { readFileStructure } from "../src/file/file-structure.js";

/** All blocks of a valid file in file order, with their decompressed bodies. */
export async function storedBlocks(
  bytes: Uint8Array,
): Promise<{ kind: string; offset: number; size: number; body: Uint8Array }[]> {
  const { loader } = await readFileStructure(memorySource(bytes));
  const blocks: { kind: string; offset: number; size: number; body: Uint8Array }[] = [];
  const end = bytes.length - 4096;
  for (let offset = 0; offset < end; ) {
    const { kind, size } = parseBlockHeader(bytes, offset, end - offset, loader.options.limits);
    const { body } = loader.open(bytes.subarray(offset, offset + size), { offset, size }, [kind]);
    blocks.push({ kind, offset, size, body });
    offset += size;
  }
  return blocks;
}
