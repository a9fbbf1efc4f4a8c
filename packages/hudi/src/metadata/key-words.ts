/** Translates keys of the metadata table to names. Most keys are hashes of names, which are looked up among the names of the table. */
import { tableColumns } from "../rows/table-schema.js";
import type { HudiTable } from "../table/hudi-table.js";
import { ALL_PARTITIONS, fileHash, hashText, partitionKey } from "./metadata-keys.js";

const HASH = 12;
const FILE_HASH = 24;

/**
 * A function that describes the keys of a partition of the metadata table, such as `qty in 2026/01/05/FILE`. Hashes without a name in the
 * table are kept.
 * @param partition such as `column_stats`
 * @throws {CFileError} for damage
 */
export async function keyWords(table: HudiTable, partition: string): Promise<(key: string) => string> {
  if (partition === "files") {
    return (key) =>
      key === ALL_PARTITIONS ? "all partitions" : key === partitionKey("") ? "the only partition" : key;
  }
  if (!["column_stats", "partition_stats", "bloom_filters"].includes(partition)) {
    return (key) => key;
  }
  const paths = await table.partitions();
  const files: string[] = [];
  for (const path of partition === "partition_stats" ? [] : paths) {
    files.push(...(await table.filesOf(path)).keys());
  }
  const columns = partition === "bloom_filters" ? [] : (await tableColumns(table)).map(({ name }) => name);
  const names = new Map<string, string>([
    ...columns.map((name) => [hashText(name), name] as const),
    ...paths.map((path) => [hashText(partitionKey(path)), partitionKey(path)] as const),
    ...files.map((name) => [fileHash(name), name] as const),
  ]);
  return (key) => {
    const word = (start: number, length: number): string => {
      const hash = key.slice(start, start + length);
      return names.get(hash) ?? hash;
    };
    const start = partition === "bloom_filters" ? 0 : HASH;
    const place = [word(start, HASH), word(start + HASH, FILE_HASH)].filter(Boolean).join("/");
    return start === 0 ? place : `${word(0, HASH)} in ${place}`;
  };
}
