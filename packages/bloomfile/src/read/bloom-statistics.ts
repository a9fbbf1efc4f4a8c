/** Statistics of the blocks of a Bloom file. */
import type { BlockLocation } from "@cfile/bytes";
import type { RowKernels } from "@cfile/kernels/rows";
import type { BloomFill, BloomFilter } from "../filter/bloom-filter.js";

/** One block of a Bloom file. */
export interface BloomBlock extends BlockLocation, BloomFill {
  /** Number of the block, from 0. */
  readonly index: number;
  /** Key that separates the block from the previous one; not necessarily one of its keys. */
  readonly indexKey: Uint8Array;
  /** Bits set and tested per key. */
  readonly hashCount: number;
  /** Bits of the filter. */
  readonly bitCount: number;
}

/** Size (in bytes) and quality of a Bloom file. */
export interface BloomStatistics {
  readonly fileBytes: number;
  readonly blocks: number;
  /** Unreadable blocks, not included in the numbers below. */
  readonly damagedBlocks: number;
  readonly indexBlocks: number;
  readonly indexBytes: number;
  /** Bytes of all bit arrays. */
  readonly filterBytes: number;
  readonly bits: number;
  /** Bits set. */
  readonly ones: number;
  /** Estimated number of distinct keys. */
  readonly estimatedKeys: number;
  /** Mean of the filters' expected false positive rates. */
  readonly falsePositiveRate: number;
  readonly worstFalsePositiveRate: number;
  /** Useless filters: more than 90 % full. */
  readonly saturatedBlocks: number;
  /** Minimum and maximum hash count. */
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
  const sum = (of: (block: BloomBlock) => number): number =>
    blocks.reduce((total, block) => total + of(block), 0);
  const bits = sum(({ bitCount }) => bitCount);
  const hashCounts = blocks.map(({ hashCount }) => hashCount);
  return {
    filterBytes: bits / 8,
    bits,
    ones: sum(({ ones }) => ones),
    estimatedKeys: sum(({ estimatedKeys }) => estimatedKeys),
    falsePositiveRate: blocks.length === 0 ? 0 : sum((block) => block.falsePositiveRate) / blocks.length,
    worstFalsePositiveRate: blocks.reduce((worst, block) => Math.max(worst, block.falsePositiveRate), 0),
    saturatedBlocks: sum(({ isSaturated }) => (isSaturated ? 1 : 0)),
    hashCounts: {
      min: hashCounts.reduce((min, count) => Math.min(min, count), hashCounts[0] ?? 0),
      max: hashCounts.reduce((max, count) => Math.max(max, count), 0),
    },
  };
}
