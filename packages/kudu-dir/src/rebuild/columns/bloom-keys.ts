/**
 * Checks whether a Bloom file has exactly the keys of a row set. Each filter has the keys from its index key up to that of the next one
 * (docs/spec/bloomfile.md#5-when-a-block-is-cut). It has all bits of these keys, and as many bits as a filter made from them.
 */
import { type BloomBlock, BloomFilter, openBloomFile } from "@cfile/bloomfile";
import { compareBytes } from "@cfile/bytes";
import { keyAt } from "@cfile/rowset";
import type { SurveyedBlock } from "../survey-blocks.js";
import { encodedKeys } from "./key-columns.js";

/** The keys of a row set. */
export interface VerifiedKeys {
  readonly keyColumns: readonly SurveyedBlock[];
  /** The first and the last encoded key. */
  readonly bounds: NonNullable<SurveyedBlock["keys"]>;
}

/** @throws {CFileError} the damage of the Bloom file or of a key column */
export async function hasExactly(
  { source }: SurveyedBlock,
  { bounds, keyColumns }: VerifiedKeys,
): Promise<boolean> {
  const bloom = await openBloomFile(source, { cacheBytes: 1024 * 1024 });
  const isPossible = (await bloom.mayContain(bounds.min)) && (await bloom.mayContain(bounds.max));
  const blocks: BloomBlock[] = [];
  for await (const block of isPossible ? bloom.blocks() : []) {
    blocks.push(block);
  }
  const [first, ...others] = blocks;
  if (first === undefined) {
    return false;
  }
  const rest = others.values();
  const made: number[] = [];
  let filter = emptyAs(first);
  let next = rest.next().value;
  for await (const keys of encodedKeys(keyColumns)) {
    if ((await bloom.mayContainMany(keys)).includes(0)) {
      return false;
    }
    for (let row = 0; row < keys.length; row++) {
      const key = keyAt(keys, row);
      while (next !== undefined && compareBytes(key, next.indexKey) >= 0) {
        made.push(filter.countOnes());
        filter = emptyAs(next);
        next = rest.next().value;
      }
      filter.insert(key);
    }
  }
  made.push(filter.countOnes());
  return blocks.every(({ ones }, i) => ones === made[i]);
}

function emptyAs({ bitCount, hashCount }: BloomBlock): BloomFilter {
  return BloomFilter.empty(bitCount / 8, hashCount);
}
