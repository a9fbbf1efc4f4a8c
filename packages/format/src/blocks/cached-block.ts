/**
 * A data block in the cache for lookups. The first lookup decodes only what it needs; the second one decodes the whole block
 * and keeps the values. (Kudu decodes again at every seek.)
 */
import { attempt, type BlockLocation, withErrorContext } from "@cfile/bytes";
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
  private readonly context: { readonly path: string; readonly block: BlockLocation };
  private lookups = 0;
  private batch: ColumnBatch | undefined;
  private sorted: SortedVector | undefined;
  private decodedMemory = 0;

  constructor(block: DataBlock, path: string, location: BlockLocation) {
    this.block = block;
    this.firstRow = block.firstRow;
    this.rows = block.rows;
    this.context = { path, block: location };
  }

  /** Bytes in memory; more once the block is decoded. */
  get memory(): number {
    return this.block.memory + this.decodedMemory;
  }

  /** One cell. `position` counts from the block's first row and must lie in the block. */
  cell(position: number, options: CellOptions): CellValue {
    const batch = this.decoded();
    if (batch !== undefined) {
      return batch.get(position, options) ?? null;
    }
    const decode = (): CellValue => this.block.decode(position, position + 1).get(0, options) ?? null;
    return withErrorContext(this.context, decode);
  }

  /**
   * First row at or after `target`; only for blocks of sorted columns without nulls.
   *
   * @param sort prepares decoded values for many searches. Default: this search decodes only what it needs
   */
  seek(target: SeekTarget, sort?: (values: ScalarBatch) => SortedVector): SeekPosition {
    if (this.sorted === undefined) {
      const batch = sort && this.decoded();
      if (sort === undefined || batch === undefined || batch.kind === "array" || batch.nullCount > 0) {
        return withErrorContext(this.context, () => this.block.seek(target));
      }
      this.sorted = sort(batch);
    }
    return this.sorted.seek(target);
  }

  private decoded(): ColumnBatch | undefined {
    if (this.batch === undefined && ++this.lookups === 2) {
      // If the block is damaged, its valid rows can still be decoded one by one.
      this.batch = attempt(() => this.block.decode(0, this.rows));
      this.decodedMemory = this.batch === undefined ? 0 : extraMemory(this.batch);
    }
    return this.batch;
  }
}

/** Memory that `DataBlock.memory` does not include: offsets, a second set of offsets for a search, and data longer than stored. */
function extraMemory(batch: ColumnBatch): number {
  switch (batch.kind) {
    case "binary":
      return 2 * batch.offsets.byteLength + batch.data.byteLength;
    case "array":
      return batch.offsets.byteLength + extraMemory(batch.child);
    default:
      return batch.validity?.byteLength ?? 0;
  }
}
