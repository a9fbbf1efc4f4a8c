/**
 * Data files that completed writes state in the active timeline, for tables without a metadata table, because listing a folder does not
 * show missing files. Files of archived writes are unknown.
 */
import { lastName } from "../table/table-files.js";
import type { Timeline } from "./timeline.js";

/** Number of bytes that writes wrote to each file of a partition, by name. Files can be longer. */
export type StatedSizes = ReadonlyMap<string, number>;

/** The files by partition. @throws {CFileError} for damaged commits */
export async function statedFiles(timeline: Timeline): Promise<ReadonlyMap<string, StatedSizes>> {
  const partitions = new Map<string, Map<string, number>>();
  for (const write of timeline.completed.values()) {
    for (const { partition, path, size } of (await timeline.commit(write)).stats) {
      const sizes = partitions.get(partition) ?? new Map<string, number>();
      partitions.set(partition, sizes);
      const name = lastName(path);
      sizes.set(name, Math.max(size, sizes.get(name) ?? 0));
    }
  }
  return partitions;
}
