/**
 * Finds the size of the filters of a damaged Bloom file (docs/spec/bloomfile.md#6-sizing-formulas). All filters of a file have the
 * same size, so any readable filter is enough. The number of keys per filter is not stored; it follows from the false positive rate.
 */
import { attempt, invalidOption } from "@cfile/bytes";
import { findStoredBlocks } from "@cfile/format/recover";
import { openSource, type SourceInput } from "@cfile/io";
import { parseBloomBlock } from "../filter/bloom-block.js";
import { type BloomSizing, bloomSizingByBytes } from "../filter/bloom-sizing.js";

/** The size of new filters, and where it comes from. */
export interface FoundBloomSizing {
  readonly sizing: BloomSizing;
  /** `filters`: readable filters; `default`: Kudu's default, because no filter is readable. */
  readonly from: "filters" | "default";
}

/** @throws {CFileError} `E_IO` when the source fails; `E_INVALID_ARGUMENT` for an invalid rate */
export async function findBloomSizing(
  damaged: SourceInput,
  options: {
    readonly falsePositiveRate?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<FoundBloomSizing> {
  const { falsePositiveRate, signal } = options;
  const source = await openSource(damaged);
  try {
    const filters = await findStoredBlocks(source, (content) => attempt(() => parseBloomBlock(content)), {
      signal,
    });
    const sizes = new Map<string, { filterBytes: number; hashCount: number; often: number }>();
    for (const { bits, hashCount } of filters) {
      const name = `${bits.length} ${hashCount}`;
      const { often = 0 } = sizes.get(name) ?? {};
      sizes.set(name, { filterBytes: bits.length, hashCount, often: often + 1 });
    }
    const [found] = [...sizes.values()].sort((a, b) => b.often - a.often);
    return found === undefined
      ? { sizing: bloomSizingByBytes(undefined, falsePositiveRate), from: "default" }
      : { sizing: sizingOf(found.filterBytes, found.hashCount, falsePositiveRate), from: "filters" };
  } finally {
    await source.close?.();
  }
}

/** The sizing with this number of hash functions: that of the given rate, or of Kudu's, if it has the same number. */
function sizingOf(filterBytes: number, hashCount: number, rate: number | undefined): BloomSizing {
  const usual = bloomSizingByBytes(filterBytes, rate);
  if (usual.hashCount === hashCount) {
    return usual;
  }
  if (rate !== undefined) {
    throw invalidOption(
      "falsePositiveRate",
      rate,
      `a rate that needs ${hashCount} hash functions, like the readable filters`,
    );
  }
  // A filter with h hash functions, half full, has the rate 2^-h; the number of functions is rounded down.
  return bloomSizingByBytes(filterBytes, 2 ** -(hashCount + 0.5));
}
