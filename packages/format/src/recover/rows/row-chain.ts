/**
 * Chooses blocks that can be in one file together: in the order of their bytes, their rows must ascend, and neither bytes
 * nor rows may overlap. Of all such choices, the one with the most rows.
 */
import type { BlockLocation } from "@cfile/bytes";
import type { RowSpan } from "../search/block-probe.js";

export type PlacedRows = BlockLocation & RowSpan;

/** @returns the chosen blocks in order, and the others */
export function chooseChain<T extends PlacedRows>(blocks: readonly T[]): { chain: T[]; others: T[] } {
  const outermost = withoutContained(blocks);
  const chain = heaviestChain(outermost);
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

function heaviestChain<T extends PlacedRows>(blocks: readonly T[]): T[] {
  const rowEnds = [...new Set(blocks.map(({ firstRow, rows }) => firstRow + rows))].sort((a, b) => a - b);
  const best = new PrefixMaximum(rowEnds.length);
  const weights: number[] = [];
  const before: number[] = [];
  const byEnd = blocks.map((_, i) => i).sort((a, b) => endOf(at(blocks, a)) - endOf(at(blocks, b)));
  let entered = 0;
  let heaviest = -1;
  for (const [i, block] of blocks.entries()) {
    // A block is a predecessor only if its bytes end before this one starts.
    for (; entered < byEnd.length; entered++) {
      const earlier = byEnd[entered] as number;
      const candidate = at(blocks, earlier);
      if (endOf(candidate) > block.offset || weights[earlier] === undefined) {
        break;
      }
      const place = countUpTo(rowEnds, candidate.firstRow + candidate.rows) - 1;
      best.offer(place, weights[earlier] as number, earlier);
    }
    const { weight, index } = best.upTo(countUpTo(rowEnds, block.firstRow));
    weights[i] = weight + block.rows;
    before[i] = index;
    if (heaviest < 0 || (weights[i] as number) > (weights[heaviest] as number)) {
      heaviest = i;
    }
  }
  const chain: T[] = [];
  for (let i = heaviest; i >= 0; i = before[i] as number) {
    chain.push(at(blocks, i));
  }
  return chain.reverse();
}

function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}

/** Count of the ascending numbers that are at most `limit`. */
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

/** A binary indexed tree: the maximum weight offered in any prefix, in logarithmic time. */
class PrefixMaximum {
  private readonly weights: Float64Array;
  private readonly indexes: Int32Array;

  constructor(places: number) {
    this.weights = new Float64Array(places + 1);
    this.indexes = new Int32Array(places + 1).fill(-1);
  }

  offer(place: number, weight: number, index: number): void {
    for (let i = place + 1; i < this.weights.length; i += i & -i) {
      if (weight > (this.weights[i] as number)) {
        this.weights[i] = weight;
        this.indexes[i] = index;
      }
    }
  }

  upTo(places: number): { weight: number; index: number } {
    let weight = 0;
    let index = -1;
    for (let i = places; i > 0; i -= i & -i) {
      if ((this.weights[i] as number) > weight) {
        weight = this.weights[i] as number;
        index = this.indexes[i] as number;
      }
    }
    return { weight, index };
  }
}
