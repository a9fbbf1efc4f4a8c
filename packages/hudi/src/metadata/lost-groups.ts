/**
 * Detects file groups that lost all of their files. Groups are numbered without gaps, but nothing states how many a partition has. Lost
 * groups at the end are found by the files that completed writes state, and by keys in other groups, because the number of groups decides
 * which group has a key.
 */
import { type CFileError, corrupt } from "@cfile/bytes";
import type { HFileReader } from "@cfile/hfile";
import { parseFileName } from "../slices/file-names.js";
import type { FileSlice } from "../slices/file-slices.js";
import type { HudiInstant } from "../timeline/instant.js";
import type { Timeline } from "../timeline/timeline.js";
import { groupOfKey } from "./metadata-keys.js";

/** Requires that a partition has file groups, with all numbers up to the last. @throws {CFileError} `E_CORRUPT` */
export function requireNumbered(slices: readonly FileSlice[], path: string): void {
  if (slices.length === 0) {
    // A readable partition has file groups, even if they have no records; without them, lookups would silently find nothing.
    throw corrupt("a partition of the metadata table has no files", { path, field: "file id" });
  }
  // PARTITION-0000-0, PARTITION-0001-0 and so on.
  slices.forEach(({ fileId }, index) => {
    if (Number(/-(\d{4})-\d+$/.exec(fileId)?.[1]) !== index) {
      throw lost(`file group ${index} is missing`, path, fileId);
    }
  });
}

/**
 * Requires the file groups that writes to the metadata table state.
 * @param names the files of the partition
 * @throws {CFileError} `E_CORRUPT` for a group without files, or for damaged commits
 */
export async function requireStated(
  partition: string,
  names: readonly string[],
  timeline: Timeline,
  writes: readonly HudiInstant[],
): Promise<void> {
  const files = names.flatMap((name) => parseFileName(name) ?? []);
  const present = new Set(files.map(({ fileId }) => fileId));
  // A partition that was dropped and rebuilt can have fewer groups, so only writes since then count.
  const [first = "9"] = files.map((file) => (file.kind === "base" ? file.instant : file.time)).sort();
  for (const write of writes.filter(({ time }) => time >= first)) {
    const { stats } = await timeline.commit(write);
    for (const stat of stats) {
      if (stat.partition === partition && !present.has(stat.fileId)) {
        const path = timeline.files.nameOf(partition);
        throw lost(`a file group is missing that ${write.action} ${write.time} wrote`, path, stat.fileId);
      }
    }
  }
}

/** Requires that the first and the last key of a file belong to its file group. @throws {CFileError} `E_CORRUPT` */
export function requireOwnKeys(
  { fileInfo, lastRow, source }: HFileReader,
  group: number,
  groups: number,
): void {
  const last = lastRow && new TextDecoder().decode(lastRow);
  for (const key of [fileInfo.text("minRecordKey"), last]) {
    if (key !== undefined && groupOfKey(key, groups) !== group) {
      const reason = `file group ${group} has a key of another group: the partition has lost groups (${groups} are left)`;
      throw lost(reason, source.name, key);
    }
  }
}

function lost(reason: string, path: string | undefined, actual: string): CFileError {
  return corrupt(reason, { path, field: "file id", actual });
}
