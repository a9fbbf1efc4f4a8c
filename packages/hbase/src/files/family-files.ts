/** Finds the store files of a family in a region that count, and opens them in order (docs/spec/hbase-table.md#4-store-files). */
import type { FileTree } from "@cfile/io";
import type { TableDescriptor } from "../root/descriptor.js";
import type { RegionInfo } from "../root/region-info.js";
import { tablePath } from "../root/table-name.js";
import { filesIn, parseFile } from "../root/tree-files.js";
import { parseReference } from "./reference.js";
import {
  compareAge,
  type FamilyPlace,
  type NamedFile,
  namedFile,
  openStoreFile,
  type StoreFile,
} from "./store-file.js";
import { trackedFiles } from "./tracked-files.js";

/** Lists the store files of a family in a region. */
export type FileLister = (region: RegionInfo, family: string) => Promise<readonly NamedFile[]>;

const TRACKER = "hbase.store.file-tracker.impl";

/**
 * The files in a table's folders. A family without a folder has no files: HBase creates the folder when it opens the region, so a
 * family that was added to a disabled table has no folder, and copies through archives and object stores drop empty folders. Nothing on
 * disk says that a folder had files, so the loss of a whole folder cannot be detected.
 * @throws {CFileError} `E_CORRUPT` for invalid names of store files, damaged references and lists
 */
export function folderFiles(tree: FileTree, descriptor: TableDescriptor): FileLister {
  return async (region, family) => {
    const folder = `data/${tablePath(region.table)}/${region.encodedName}/${family}`;
    const settings = descriptor.families.find(({ name }) => name === family);
    const tracker =
      settings?.configuration.get(TRACKER) ??
      descriptor.configuration.get(TRACKER) ??
      descriptor.attributes.get(TRACKER) ??
      "DEFAULT";
    const names = isFileTracker(tracker)
      ? await trackedFiles(tree, folder)
      : (await filesIn(tree, folder)).filter((name) => !name.startsWith("."));
    return Promise.all(
      names.map(async (name) => {
        const file = namedFile(name, region);
        const isReference = file.parsed.kind === "reference";
        const reference = isReference
          ? await parseFile(tree, `${folder}/${name}`, parseReference)
          : undefined;
        return { ...file, reference };
      }),
    );
  };
}

/** The tracker's short name, or its class. */
function isFileTracker(tracker: string): boolean {
  return tracker.toUpperCase() === "FILE" || tracker.endsWith("FileBasedStoreFileTracker");
}

/** Opens a family's files, without those that a compacted file replaces; older first. */
export async function openFamilyFiles(
  files: readonly NamedFile[],
  place: FamilyPlace,
): Promise<readonly StoreFile[]> {
  const opened = await settleAll(files.map((file) => openStoreFile(file, place)));
  const replaced = new Set(opened.flatMap(({ facts }) => facts.replaces));
  const obsolete = opened.filter(({ name }) => replaced.has(name));
  await Promise.all(obsolete.map(({ hfile }) => hfile.close()));
  return opened.filter(({ name }) => !replaced.has(name)).sort(compareAge);
}

/** All files, or none: when one cannot be opened, the others are closed. */
async function settleAll(opening: readonly Promise<StoreFile | undefined>[]): Promise<StoreFile[]> {
  const results = await Promise.allSettled(opening);
  const opened = results.flatMap((result) => (result.status === "fulfilled" ? (result.value ?? []) : []));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    await Promise.all(opened.map(({ hfile }) => hfile.close()));
    throw failed.reason;
  }
  return opened;
}
