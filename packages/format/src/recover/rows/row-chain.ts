/**
 * Chooses blocks that can be in one file together: in the order of their bytes, their rows must ascend, and neither bytes
 * nor rows may overlap. Of all such choices, it takes the one with the maximum number of rows.
 */
import type { BlockLocation } from "@cfile/bytes";
import type { RowSpan } from "../search/block-probe.js";

export type PlacedRows = BlockLocation & RowSpan;

/** @returns the chosen blocks in order, and the others */
export function chooseChain<T extends PlacedRows>(blocks: readonly T[]): { chain: T[]; others: T[] } {
  const outermost = withoutContained(blocks);
  const chain = longestChain(outermost);
  const chosen = new Set(chain);
  return { chain, others: blocks.filter((block) => !chosen.has(block)) };
}

const endOf = (block: BlockLocation): number => block.offset + block.size;

/** A block inside the bytes of another one is part of its values. */
function withoutContained<T extends PlacedRows>(blocks: readonly T[]): T[] {
  const sorted = [...blocks].sort((a, b) => a.offset - b.offset || b.size - a.size);
  let reached = -1;
  return sorted.filter((block) => {
    const contained = endOf(block) <= reached;
    reached = Math.max(reached, endOf(block));
    return !contained;
  });
}

/** The chain with the most rows that ends with a block. */
interface Chain<T> {
  readonly block: T;
  /** Rows of the whole chain; 0 until they are known. */
  rows: number;
  before: Chain<T> | undefined;
}

/** @param blocks by ascending offset */
function longestChain<T extends PlacedRows>(blocks: readonly T[]): T[] {
  const chains = blocks.map((block): Chain<T> => ({ block, rows: 0, before: undefined }));
  const byEnd = [...chains].sort((a, b) => endOf(a.block) - endOf(b.block));
  const rowEnds = [...new Set(blocks.map(({ firstRow, rows }) => firstRow + rows))].sort((a, b) => a - b);
  const best = new PrefixMaximum<T>(rowEnds.length);
  let entered = 0;
  let longest: Chain<T> | undefined;
  for (const chain of chains) {
    const { firstRow, offset, rows } = chain.block;
    let earlier = byEnd[entered];
    // A block is a predecessor only if its bytes end before this one starts.
    while (earlier !== undefined && earlier.rows > 0 && endOf(earlier.block) <= offset) {
      best.offer(countUpTo(rowEnds, earlier.block.firstRow + earlier.block.rows), earlier);
      earlier = byEnd[++entered];
    }
    chain.before = best.upTo(countUpTo(rowEnds, firstRow));
    chain.rows = rows + (chain.before?.rows ?? 0);
    if (chain.rows > (longest?.rows ?? 0)) {
      longest = chain;
    }
  }
  const chosen: T[] = [];
  for (let chain = longest; chain !== undefined; chain = chain.before) {
    chosen.push(chain.block);
  }
  return chosen.reverse();
}

/** Counts the ascending numbers that are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** A binary indexed tree: finds the longest chain offered at any number up to a limit, in logarithmic time. */
class PrefixMaximum<T> {
  private readonly best: (Chain<T> | undefined)[];

  /** @param max maximum number */
  constructor(max: number) {
    this.best = new Array(max + 1).fill(undefined);
  }

  /** @param number at least 1 */
  offer(number: number, chain: Chain<T>): void {
    for (let i = number; i < this.best.length; i += i & -i) {
      if (chain.rows > (this.best[i]?.rows ?? 0)) {
        this.best[i] = chain;
      }
    }
  }

  upTo(limit: number): Chain<T> | undefined {
    let longest: Chain<T> | undefined;
    for (let i = limit; i > 0; i -= i & -i) {
      const chain = this.best[i];
      if (chain !== undefined && chain.rows > (longest?.rows ?? 0)) {
        longest = chain;
      }
    }
    return longest;
  }
}
