/** Lost blocks that may stand elsewhere, because bytes were put in or taken out before them. */
import type { BlockLocation } from "@cfile/bytes";
import type { LostBlock } from "../rows/row-ledger.js";
import type { RowSpan } from "./block-probe.js";

/** Finds the index entry of a block that was found elsewhere: the same rows in as many bytes. */
export class MovedBlocks {
  private readonly byRow = new Map<number, LostBlock>();
  private readonly bySize = new Map<number, LostBlock[]>();

  constructor(lost: Iterable<LostBlock>) {
    for (const block of lost) {
      if (block.firstRow !== undefined) {
        this.byRow.set(block.firstRow, block);
      } else {
        const others = this.bySize.get(block.size);
        if (others === undefined) {
          this.bySize.set(block.size, [block]);
        } else {
          others.push(block);
        }
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

  /** Whether the index has the rows in a block of another size. */
  claims(firstRow: number): boolean {
    return this.byRow.has(firstRow);
  }
}
