import type { BlockLocation } from "@cfile/bytes";
import type { LostBlock } from "../rows/row-ledger.js";
import type { RowSpan } from "./block-probe.js";

/**
 * Lost blocks that may be at other offsets, because bytes were inserted or removed before them. A block found at another offset
 * matches the index entry with the same first row and size.
 */
export class MovedBlocks {
  private readonly byRow = new Map<number, LostBlock>();
  private readonly bySize = new Map<number, LostBlock[]>();

  constructor(lost: Iterable<LostBlock>) {
    for (const block of lost) {
      if (block.firstRow !== undefined) {
        this.byRow.set(block.firstRow, block);
      } else {
        const others = this.bySize.get(block.size) ?? [];
        this.bySize.set(block.size, others);
        others.push(block);
      }
    }
  }

  take({ size }: BlockLocation, { firstRow }: RowSpan): LostBlock | undefined {
    const claim = this.byRow.get(firstRow);
    if (claim?.size === size) {
      this.byRow.delete(firstRow);
      return claim;
    }
    return this.bySize.get(size)?.shift();
  }

  /** Whether the index has a block of another size at this row. */
  claims(firstRow: number): boolean {
    return this.byRow.has(firstRow);
  }
}
