/** What a Bloom file says about itself: as JSON, and for people. */
import type { BloomBlock, BloomFileReader, BloomStatistics } from "@cfile/bloomfile";
import { toHex } from "@cfile/bytes";
import { counted, countText, percentText, rateText } from "../records/quantity.js";
import { tableLines } from "../records/table.js";

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
    fill: fillOf(statistics),
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
  const saturated = saturatedBlocks === 0 ? "" : `, ${countText(saturatedBlocks)} more than nine tenths full`;
  return tableLines(
    [{ title: "" }, { title: "" }],
    [
      ["filters", `${countText(statistics.blocks)}${saturated}`],
      ["hash functions", hashes],
      ["bits", `${countText(bits)}, ${countText(ones)} set, ${percentText(ones, bits)}`],
      ["keys", `about ${keysText(statistics.estimatedKeys)}`],
      [
        "false positives",
        `${rateText(statistics.falsePositiveRate)}, worst filter ${rateText(statistics.worstFalsePositiveRate)}`,
      ],
    ],
  );
}

/** At most `most` filters, one a line. */
export function bloomFilterLines({ blocks }: BloomDescription, most: number): string[] {
  const right = { align: "right" } as const;
  const shown = blocks.slice(0, most);
  return [
    ...tableLines(
      [
        { title: "filter", ...right },
        { title: "offset", ...right },
        { title: "bytes", ...right },
        { title: "k", ...right },
        { title: "bits", ...right },
        { title: "fill", ...right },
        { title: "keys", ...right },
        { title: "false positives", ...right },
        { title: "from key" },
      ],
      shown.map((block) => [
        countText(block.index),
        countText(block.offset),
        countText(block.size),
        countText(block.hashCount),
        countText(block.bitCount),
        percentText(block.ones, block.bitCount),
        keysText(block.estimatedKeys),
        rateText(block.falsePositiveRate),
        toHex(block.indexKey),
      ]),
    ),
    ...(blocks.length > shown.length
      ? [`  ${counted(blocks.length - shown.length, "more filter")}; --blocks all lists them`]
      : []),
  ];
}

function fillOf({ bits, ones }: BloomStatistics): number {
  return bits === 0 ? 0 : ones / bits;
}

function keysText(keys: number): string {
  return Number.isFinite(keys) ? countText(Math.round(keys)) : "any number";
}

/** JSON has no infinity: a filter with all bits set may hold any number of keys. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
