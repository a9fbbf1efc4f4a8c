/** Bloom filters of base files, over the record keys in them. */

import { corrupt } from "@cfile/bytes";
import { type HudiBloomFilter, parseHudiBloomFilter } from "@cfile/hfile";
import { recordOf, textOf } from "../timeline/content-fields.js";
import { bloomFilterKey } from "./metadata-keys.js";
import type { MetadataTable } from "./metadata-table.js";

/** A file's Bloom filter. */
export interface FileBloomFilter extends HudiBloomFilter {
  /** The filter as base64 text, in its stored bytes. */
  readonly text: Uint8Array;
}

const RECORD = "BloomFilterMetadata";

/** Bloom filters of files of a partition, by file name; files without a filter are absent. @throws {CFileError} for damage */
export async function bloomFilters(
  metadata: MetadataTable,
  partition: string,
  files: readonly string[],
): Promise<Map<string, FileBloomFilter>> {
  const keys = new Map(files.map((file) => [bloomFilterKey(partition, file), file]));
  const found = new Map<string, FileBloomFilter>();
  for (const [key, record] of await metadata.find("bloom_filters", [...keys.keys()])) {
    const info = recordOf(record[RECORD], RECORD);
    const text = info["bloomFilter"];
    if (info["isDeleted"] !== true) {
      if (!(text instanceof Uint8Array)) {
        throw corrupt("Bloom filter has no bytes", { field: RECORD });
      }
      found.set(keys.get(key) as string, {
        ...parseHudiBloomFilter(text, textOf(info["type"], "type") ?? "SIMPLE"),
        text,
      });
    }
  }
  return found;
}
