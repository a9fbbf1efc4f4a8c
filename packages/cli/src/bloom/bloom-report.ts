/** The statistics of a Bloom file: as JSON and as text. */
import type { BloomBlock, BloomFileReader, BloomStatistics } from "@cfile/bloomfile";
import { toHex } from "@cfile/bytes";
import { moreLines } from "../files/more-lines.js";
import { countText, percentText, rateText } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";

export interface BloomDescription {
  readonly statistics: BloomStatistics;
  readonly blocks: readonly BloomBlock[];
}

/** Reads the whole file. */
export async function describeBloomFile(
  file: BloomFileReader,
  signal: AbortSignal | undefined,
): Promise<BloomDescription> {
  const blocks: BloomBlock[] = [];
  for await (const block of file.blocks({ signal })) {
    blocks.push(block);
  }
  return { statistics: await file.statistics({ signal }), blocks };
}

export function bloomJson({ statistics, blocks }: BloomDescription): Readonly<Record<string, unknown>> {
  const { hashCounts, filterBytes, bits, ones, estimatedKeys, falsePositiveRate } = statistics;
  return {
    blocks: statistics.blocks,
    hash_functions: hashCounts,
    filter_bytes: filterBytes,
    bits,
    ones,
    fill: bits === 0 ? 0 : ones / bits,
    estimated_keys: finiteOrNull(estimatedKeys),
    false_positive_rate: falsePositiveRate,
    worst_false_positive_rate: statistics.worstFalsePositiveRate,
    saturated_blocks: statistics.saturatedBlocks,
    filters: blocks.map((block) => ({
      index_key: toHex(block.indexKey),
      offset: block.offset,
      size: block.size,
      hash_functions: block.hashCount,
      bits: block.bitCount,
      ones: block.ones,
      fill: block.fill,
      estimated_keys: finiteOrNull(block.estimatedKeys),
      false_positive_rate: block.falsePositiveRate,
    })),
  };
}

export function bloomSummaryLines({ statistics }: BloomDescription): string[] {
  const { hashCounts, bits, ones, saturatedBlocks } = statistics;
  const hashes =
    hashCounts.min === hashCounts.max ? `${hashCounts.min}` : `${hashCounts.min} to ${hashCounts.max}`;
  const saturated = saturatedBlocks === 0 ? "" : `, ${countText(saturatedBlocks)} more than 90 % full`;
  return factLines([
    ["filters", `${countText(statistics.blocks)}${saturated}`],
    ["hash functions", hashes],
    ["bits", `${countText(bits)}, ${countText(ones)} set, ${percentText(ones, bits)}`],
    ["keys", `about ${keysText(statistics.estimatedKeys)}`],
    [
      "false positives",
      `${rateText(statistics.falsePositiveRate)}, worst filter ${rateText(statistics.worstFalsePositiveRate)}`,
    ],
  ]);
}

/** At most `max` filters, one per line. */
export function bloomFilterLines({ blocks }: BloomDescription, max: number): string[] {
  const shown = blocks.slice(0, max);
  const titles = ["filter", "offset", "bytes", "k", "bits", "fill", "keys", "false positives"];
  return [
    ...tableLines(
      [...titles.map(right), left("from key")],
      shown.map((block) => [
        ...[block.index, block.offset, block.size, block.hashCount, block.bitCount].map(countText),
        percentText(block.ones, block.bitCount),
        keysText(block.estimatedKeys),
        rateText(block.falsePositiveRate),
        toHex(block.indexKey),
      ]),
    ),
    ...moreLines(blocks.length, shown.length, "filter"),
  ];
}

function keysText(keys: number): string {
  return Number.isFinite(keys) ? countText(Math.round(keys)) : "unknown";
}

/** JSON has no infinity, which is the estimate for a filter with all bits set. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
