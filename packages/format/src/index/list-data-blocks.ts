/** The data blocks of a file in row order: from an index, or by walking a file without an index. */
import type { BlockLocation } from "@cfile/bytes";
import { decodePositionalKey } from "@cfile/index-btree";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { OpenFile } from "../read/open-file.js";
import { walkDataBlocks } from "./block-walk.js";

export interface PlacedBlock extends BlockLocation {
  /** Number of its first row, if there is a positional index. */
  readonly firstRow?: number;
}

/** @throws {CFileError} as reading index blocks; `E_UNSUPPORTED` for a file that cannot be walked */
export async function listDataBlocks(
  file: OpenFile,
  { signal }: BlockReadOptions,
): Promise<readonly PlacedBlock[]> {
  const tree = file.posidx ?? file.validx;
  if (tree === undefined) {
    await file.structure.head.load(file.source, { signal });
    await file.dataBlocks.loadDictionary({ signal });
    return walkDataBlocks(file, { signal });
  }
  const blocks: PlacedBlock[] = [];
  const cursor = await tree.first({ signal });
  if (cursor !== undefined) {
    do {
      const { pointer } = cursor;
      blocks.push(file.posidx ? { ...pointer, firstRow: decodePositionalKey(cursor.key) } : pointer);
    } while (await cursor.next());
  }
  return blocks;
}
