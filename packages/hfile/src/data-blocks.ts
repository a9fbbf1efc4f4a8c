/** The data blocks of a file as batches of cells, with a cache of those that look-ups use. */
import { BlockCache, type BlockLocation, compareRange, corrupt, withErrorContext } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import type { BlockKind } from "./block-kind.js";
import type { OpenedBlock } from "./block-loader.js";
import type { CellBatch } from "./cell-batch.js";
import { type PositionArrays, parseCells } from "./cell-parser.js";
import { checkRowOrder } from "./cell-search.js";
import { decodeDataBlock } from "./data-block-encoding.js";
import type { HFileStructure } from "./file-structure.js";
import type { IndexNode } from "./index-node.js";

export const DATA_KINDS: readonly BlockKind[] = ["data", "encoded data"];

export class DataBlocks {
  private readonly structure: HFileStructure;
  private readonly cache: BlockCache<CellBatch>;

  constructor(structure: HFileStructure, cacheBytes: number) {
    this.structure = structure;
    this.cache = new BlockCache(cacheBytes);
  }

  cached(offset: number): CellBatch | undefined {
    return this.cache.get(offset);
  }

  keep(offset: number, batch: CellBatch): void {
    this.cache.set(offset, batch);
  }

  /** The block that an entry of the index leads to; it is kept. */
  async load(node: IndexNode, entry: number, options: ReadOptions): Promise<CellBatch> {
    const location = { offset: node.offset(entry), size: node.size(entry) };
    const batch = this.decode(await this.structure.loader.read(location, options), location, node, entry);
    this.keep(location.offset, batch);
    return batch;
  }

  /**
   * The cells of a block that was read.
   *
   * @throws CFileError as a block's reading; `E_CORRUPT` when cells are malformed or out of order, or the block begins
   *   before the row that the index has for it
   */
  decode(bytes: Uint8Array, location: BlockLocation, node: IndexNode, entry: number): CellBatch {
    return this.use(bytes, location, node, entry, undefined, checkRowOrder);
  }

  /**
   * The same, for work that checks the order of the cells itself.
   *
   * @param arrays see {@link parseCells}
   * @param work its errors get the place of the block
   */
  use(
    bytes: Uint8Array,
    location: BlockLocation,
    node: IndexNode,
    entry: number,
    arrays: PositionArrays | undefined,
    work: (batch: CellBatch) => void,
  ): CellBatch {
    const { loader, bytewise } = this.structure;
    const opened = loader.open(bytes, location, DATA_KINDS);
    return withErrorContext({ path: loader.source.name, block: location }, () => {
      const batch = cellsOf(opened, this.structure, arrays);
      if (bytewise) {
        const start = batch.rowStarts[0] as number;
        if (compareRange(batch.data, start, batch.rowEnds[0] as number, node.row(entry)) < 0) {
          throw corrupt("a block begins before the row that the index has for it", {
            offset: start,
            field: "row",
          });
        }
        work(batch);
      }
      return batch;
    });
  }
}

/** The cells of an opened data block. */
export function cellsOf(
  { header, body }: OpenedBlock,
  { layout, loader }: Pick<HFileStructure, "layout" | "loader">,
  arrays?: PositionArrays,
): CellBatch {
  return parseCells(
    header.kind === "encoded data" ? decodeDataBlock(body, layout, loader.options.limits) : body,
    layout,
    arrays,
  );
}
