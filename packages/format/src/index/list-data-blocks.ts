/** The data blocks of a file in row order: from an index, or by walking a file that has none. */
import type { BlockLocation } from "@cfile/bytes";
import type { IndexTree } from "@cfile/index-btree";
import type { ByteSource } from "@cfile/io";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlocks } from "../blocks/data-blocks.js";
import type { FileStructure } from "../file/file-structure.js";
import { statedBlockLength } from "../file/stated-length.js";
import { walkDataBlocks } from "./block-walk.js";
import { listLeaves, type PlacedBlock } from "./list-leaves.js";

/** The parts of a reader that are needed. */
export interface ListedFile {
  readonly source: ByteSource;
  readonly structure: FileStructure;
  loadHeader(options: BlockReadOptions): Promise<void>;
}

/** @param tree the positional index, or else the value index */
export async function listDataBlocks(
  file: ListedFile,
  tree: IndexTree | undefined,
  dataBlocks: DataBlocks,
  options: BlockReadOptions,
): Promise<readonly PlacedBlock[]> {
  if (tree !== undefined) {
    return listLeaves(tree, file.structure.footer.posidx !== undefined, options);
  }
  await file.loadHeader(options);
  await dataBlocks.loadDictionary(options);
  return walkDataBlocks(
    {
      source: file.source,
      reader: dataBlocks.reader,
      open: (block: BlockLocation, stored) => dataBlocks.open(block, stored),
      statedLength: (start) => statedBlockLength(start, dataBlocks.column()),
    },
    options,
  );
}
