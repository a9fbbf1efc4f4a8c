/** Keys of the metadata table, and the file group of a key (docs/spec/hudi-table.md#7-layout-of-the-metadata-table). */
import { utf8Bytes } from "@cfile/bytes";
import { md5 } from "@noble/hashes/legacy.js";
import { xxHash64 } from "./xxhash64.js";

/** Key of the list of partitions. */
export const ALL_PARTITIONS = "__all_partitions__";

const SEED = 0xffffffffdabadaban;
/** The name of the only partition of a table without partitions. */
const ROOT = ".";

/** The name of a partition in keys. */
export function partitionKey(partition: string): string {
  return partition === "" ? ROOT : partition;
}

/** Key of a file's Bloom filter. */
export function bloomFilterKey(partition: string, file: string): string {
  return hashText(partitionKey(partition)) + fileHash(file);
}

/** Key of a column's statistics in a file; without a file, the prefix of the keys of a partition; without both, of a column. */
export function columnStatsKey(column: string, partition?: string, file?: string): string {
  const ofPartition = partition === undefined ? "" : hashText(partitionKey(partition));
  return hashText(column) + ofPartition + (file === undefined ? "" : fileHash(file));
}

/** Index of the file group that a key belongs to. */
export function groupOfKey(key: string, groups: number): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) {
    hash = (Math.imul(31, hash) + key.charCodeAt(i)) | 0;
  }
  // In Java, the absolute value of the smallest integer is itself, so the remainder can be negative.
  const positive = hash === -0x80000000 ? hash : Math.abs(hash);
  return Math.abs(positive % groups);
}

/** The hash of a column or partition in keys: 12 characters. */
export function hashText(text: string): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, xxHash64(utf8Bytes(text), SEED));
  return base64(bytes);
}

/** The hash of a file name in keys: 24 characters. */
export function fileHash(file: string): string {
  return base64(md5(utf8Bytes(file)));
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
