/** Describes the store files of a region. */
import type { BloomType } from "../files/file-facts.js";
import type { FamilyDescriptor } from "../root/descriptor.js";
import type { OpenRegion } from "./open-region.js";

/** A store file that counts. */
export interface RegionFile {
  readonly family: string;
  /** Its name in the region's folder or the snapshot's manifest. */
  readonly name: string;
  readonly kind: "hfile" | "link" | "reference";
  /** Path of the HFile below the root directory. */
  readonly path: string;
  readonly bytes: number;
  /** Cells of the whole HFile, even if a reference stands for a part of it; `undefined` for a damaged file. */
  readonly entries: number | undefined;
  /** Greatest sequence ID of the file's cells; -1 if unknown. */
  readonly sequenceId: number;
  readonly bloomType: BloomType;
}

/** Files by family, older first; `unflushed` counts cells that are only in the write-ahead log. */
export type RegionFiles = readonly RegionFile[] & { readonly unflushed: number };

export async function regionFiles(
  region: OpenRegion,
  families: readonly FamilyDescriptor[],
): Promise<RegionFiles> {
  const files: RegionFile[] = [];
  let unflushed = 0;
  const opened = await Promise.all(
    families.map(async ({ name }) => ({ family: name, open: await region.family(name) })),
  );
  for (const { family, open } of opened) {
    unflushed += open.unflushed?.length ?? 0;
    for (const { name, kind, path, size, hfile, sequenceId, facts } of open.files) {
      const { bloomType } = facts;
      files.push({ family, name, kind, path, bytes: size, entries: hfile.entryCount, sequenceId, bloomType });
    }
  }
  return Object.assign(files, { unflushed });
}
