/** Keys of the metadata table in words: most are hashes of names, which are looked up among the names of the table. */
import { tableColumns } from "../rows/table-schema.js";
import type { HudiTable } from "../table/hudi-table.js";
import { ALL_PARTITIONS, fileHash, hashText, partitionKey } from "./metadata-keys.js";

const HASH = 12;
const FILE_HASH = 24;

/**
 * What the keys of a partition of the metadata table stand for, like `qty in 2026/01/05/FILE`. Hashes of names that the table no longer
 * has stay.
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
    const hashes = [key.slice(0, HASH), key.slice(HASH, 2 * HASH), key.slice(2 * HASH, 2 * HASH + FILE_HASH)];
    const parts =
      partition === "bloom_filters" ? ["", key.slice(0, HASH), key.slice(HASH, HASH + FILE_HASH)] : hashes;
    const [column = "", folder = "", file = ""] = parts.map((hash) => names.get(hash) ?? hash);
    const place = [folder, file].filter(Boolean).join("/");
    return column === "" ? place : `${column} in ${place}`;
  };
}
