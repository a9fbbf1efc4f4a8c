/**
 * A data block that look-ups come back to. The first look-up decodes what it needs and no more; from the second on the whole
 * block is kept decoded, where Kudu decodes it at every seek.
 */
import { type BlockLocation, CFileError, withErrorContext } from "@cfile/bytes";
import type {
  CellOptions,
  CellValue,
  ColumnBatch,
  ScalarBatch,
  SeekPosition,
  SeekTarget,
} from "@cfile/encodings";
import type { SortedVector } from "@cfile/encodings/keys";
import type { DataBlock } from "./data-block.js";

export class CachedBlock {
  readonly block: DataBlock;
  readonly firstRow: number;
  readonly rows: number;
  private readonly path: string;
  private readonly location: BlockLocation;
  private lookUps = 0;
  private batch: ColumnBatch | undefined;
  private sorted: SortedVector | undefined;
  private decodedMemory = 0;

  constructor(block: DataBlock, path: string, location: BlockLocation) {
    this.block = block;
    this.firstRow = block.firstRow;
    this.rows = block.rows;
    this.path = path;
    this.location = location;
  }

  /** Bytes in memory, more once the block is decoded. */
  get memory(): number {
    return this.block.memory + this.decodedMemory;
  }

  /** One cell; `position` counts from the block's first row and lies in the block. */
  cell(position: number, options: CellOptions): CellValue {
    const batch = this.decoded();
    if (batch !== undefined) {
      return batch.get(position, options) ?? null;
    }
    return withErrorContext(
      this.context,
      () => this.block.decode(position, position + 1).get(0, options) ?? null,
    );
  }

  /**
   * First row at or after `target`; blocks of sorted columns without nulls only.
   *
   * @param sort makes decoded values ready for many searches
   */
  seek(target: SeekTarget, sort: (values: ScalarBatch) => SortedVector): SeekPosition {
    if (this.sorted !== undefined) {
      return this.sorted.seek(target);
    }
    const batch = this.decoded();
    if (batch === undefined || batch.kind === "array" || batch.nullCount > 0) {
      return withErrorContext(this.context, () => this.block.seek(target));
    }
    this.sorted = sort(batch);
    return this.sorted.seek(target);
  }

  private get context(): { path: string; block: BlockLocation } {
    return { path: this.path, block: this.location };
  }

  private decoded(): ColumnBatch | undefined {
    if (this.batch === undefined && ++this.lookUps === 2) {
      try {
        this.batch = this.block.decode(0, this.rows);
        this.decodedMemory = memoryBeside(this.batch);
      } catch (error) {
        // Rows that are sound are still found one by one.
        if (!(error instanceof CFileError)) {
          throw error;
        }
      }
    }
    return this.batch;
  }
}

/**
 * What a decoded block takes beside what `DataBlock.memory` reckons: offsets, as much again for a search, and values longer
 * than stored.
 */
function memoryBeside(batch: ColumnBatch): number {
  switch (batch.kind) {
    case "binary":
      return 2 * batch.offsets.byteLength + batch.data.byteLength;
    case "array":
      return batch.offsets.byteLength + memoryBeside(batch.child);
    default:
      return batch.validity?.byteLength ?? 0;
  }
}
