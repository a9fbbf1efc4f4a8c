/** Restores servers into a temporary folder. */
import { join } from "node:path";
import type { FileTree } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";
import { temporaryFolder } from "@cfile-tools/testkit";
import { openKuduCluster, type RestoredCluster, type RestoreOptions, restoreCluster } from "../src/index.js";

export interface Restored {
  readonly path: string;
  readonly report: RestoredCluster;
}

export async function restore(
  input: readonly (FileTree | string)[],
  options: Omit<RestoreOptions, "openFolder"> = {},
): Promise<Restored> {
  const path = temporaryFolder();
  await using cluster = await openKuduCluster(input);
  const openFolder = (folder: string) => fileDirectory(join(path, folder), { create: true, sync: false });
  return { path, report: await restoreCluster(cluster, { ...options, openFolder }) };
}
