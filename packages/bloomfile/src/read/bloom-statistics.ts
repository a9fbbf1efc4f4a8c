/** What the blocks of a Bloom file say about themselves, and all of them together. */
import type { BlockLocation } from "@cfile/bytes";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BloomFill, BloomFilter } from "../filter/bloom-filter.js";

/** One block of a Bloom file. */
export interface BloomBlock extends BlockLocation, BloomFill {
  /** 0 for the first. */
  readonly index: number;
  /** Where the block's keys begin, cut short: the first block's has one byte at most. No key need be so. */
  readonly indexKey: Uint8Array;
  /** Bits that are set and tested for a key. */
  readonly hashCount: number;
  /** Bits of the filter. */
  readonly bitCount: number;
}

/** What a Bloom file takes and how well it answers; sizes in bytes. */
export interface BloomStatistics {
  readonly fileBytes: number;
  readonly blocks: number;
  /** Blocks that could not be read; what follows is about the others. */
  readonly damagedBlocks: number;
  readonly indexBlocks: number;
  readonly indexBytes: number;
  /** Bytes of all bit arrays. */
  readonly filterBytes: number;
  readonly bits: number;
  /** Bits that are set. */
  readonly ones: number;
  /** Distinct keys that fill the filters so far. */
  readonly estimatedKeys: number;
  /** Mean of the filters' expected false positive rates. */
  readonly falsePositiveRate: number;
  readonly worstFalsePositiveRate: number;
  /** Filters of no use: more than nine tenths full. */
  readonly saturatedBlocks: number;
  /** Smallest and largest number of hash functions. */
  readonly hashCounts: { readonly min: number; readonly max: number };
}

export function describeBlock(
  index: number,
  { key, offset, size }: BlockLocation & { readonly key: Uint8Array },
  filter: BloomFilter,
  kernels: RowKernels,
): BloomBlock {
  const { hashCount, bitCount } = filter;
  return { index, offset, size, indexKey: key, hashCount, bitCount, ...filter.measureFill(kernels) };
}

/** The parts of {@link BloomStatistics} that come from the blocks. */
export function summarize(
  blocks: readonly BloomBlock[],
): Omit<BloomStatistics, "fileBytes" | "blocks" | "damagedBlocks" | "indexBlocks" | "indexBytes"> {
  let bits = 0;
  let ones = 0;
  let estimatedKeys = 0;
  let rates = 0;
  let worst = 0;
  let saturated = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const block of blocks) {
    bits += block.bitCount;
    ones += block.ones;
    estimatedKeys += block.estimatedKeys;
    rates += block.falsePositiveRate;
    worst = Math.max(worst, block.falsePositiveRate);
    saturated += block.isSaturated ? 1 : 0;
    min = Math.min(min, block.hashCount);
    max = Math.max(max, block.hashCount);
  }
  return {
    filterBytes: bits / 8,
    bits,
    ones,
    estimatedKeys,
    falsePositiveRate: blocks.length === 0 ? 0 : rates / blocks.length,
    worstFalsePositiveRate: worst,
    saturatedBlocks: saturated,
    hashCounts: { min: blocks.length === 0 ? 0 : min, max },
  };
}
