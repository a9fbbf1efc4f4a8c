/** The data blocks of a file as batches of cells, with a cache for lookups. */
import {
  BlockCache,
  type BlockLocation,
  type CacheBudget,
  compareRange,
  corrupt,
  withErrorContext,
} from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import type { CellBatch } from "../cells/cell-batch.js";
import { CellWalk, noCells, parseCells } from "../cells/cell-parser.js";
import { checkRowOrder } from "../cells/cell-search.js";
import { decodeDataBlock } from "../encodings/data-block-encoding.js";
import type { HFileStructure } from "../file/file-structure.js";
import type { IndexCursor } from "../index/index-cursor.js";
import type { BlockKind } from "./block-kind.js";
import type { OpenedBlock } from "./block-loader.js";

const DATA_KINDS: readonly BlockKind[] = ["data", "encoded data"];

/** An entry of the index that points to a data block. */
type BlockEntry = Pick<IndexCursor, "node" | "entry" | "location">;

export class DataBlocks {
  private readonly structure: HFileStructure;
  readonly cache: BlockCache<CellBatch>;

  constructor(structure: HFileStructure, cacheBytes: number | CacheBudget) {
    this.structure = structure;
    this.cache = new BlockCache(cacheBytes);
  }

  /** The block of an index entry, from the cache or read into it. */
  async at(entry: BlockEntry, options: ReadOptions): Promise<CellBatch> {
    const { location } = entry;
    let batch = this.cache.get(location.offset);
    if (batch === undefined) {
      batch = this.decode(await this.structure.loader.read(location, options), entry);
      this.cache.set(location.offset, batch);
    }
    return batch;
  }

  /**
   * The cells of a block that was read.
   * @throws {CFileError} as `BlockLoader.open`; `E_CORRUPT` if cells are malformed or out of order, or the block starts before its row
   *   in the index
   */
  decode(bytes: Uint8Array, entry: BlockEntry): CellBatch {
    return this.opened(bytes, entry.location, (body) => {
      const { layout, bytewise } = this.structure;
      const batch = parseCells(body, layout);
      if (bytewise) {
        checkFirstRow(body, batch.rowStarts[0] as number, batch.rowEnd(0), entry);
        checkRowOrder(batch);
      }
      return batch;
    });
  }

  /**
   * Passes the cells of a block that was read to `work`, which iterates over them and checks their order.
   * @param work receives the first cell; the location of the block is added to its errors
   */
  walk(bytes: Uint8Array, entry: BlockEntry, work: (cells: CellWalk) => void): void {
    this.opened(bytes, entry.location, (body) => {
      const cells = new CellWalk(body, this.structure.layout);
      if (!cells.next()) {
        throw noCells();
      }
      checkFirstRow(body, cells.rowStart, cells.rowEnd, entry);
      work(cells);
    });
  }

  private opened<T>(bytes: Uint8Array, location: BlockLocation, work: (body: Uint8Array) => T): T {
    const { loader } = this.structure;
    const opened = loader.open(bytes, location, DATA_KINDS);
    return withErrorContext({ path: loader.source.name, block: location }, () =>
      work(cellBytes(opened, this.structure)),
    );
  }
}

function checkFirstRow(body: Uint8Array, start: number, end: number, { node, entry }: BlockEntry): void {
  if (compareRange(body, start, end, node.row(entry)) < 0) {
    throw corrupt("block starts before its row in the index", { offset: start, field: "row" });
  }
}

type CellSettings = Pick<HFileStructure, "layout" | "loader">;

/** The cells of an opened data block. */
export function cellsOf(opened: OpenedBlock, settings: CellSettings): CellBatch {
  return parseCells(cellBytes(opened, settings), settings.layout);
}

/** The bytes of the cells in the layout of an unencoded block. */
function cellBytes({ header, body }: OpenedBlock, { layout, loader }: CellSettings): Uint8Array {
  return header.kind === "encoded data" ? decodeDataBlock(body, layout, loader.options.limits) : body;
}
