/** A folder on disk, in Node, Deno and Bun. */
import { type ByteDirectory, checkFileName } from "../directory/byte-directory.js";
import { takeFileLock } from "./file-lock.js";
import { fileSink } from "./file-sink.js";
import { fileSource } from "./file-source.js";
import { attempt, nodeFiles, nodeModule, pathOf, requireFolder, syncFolder } from "./node-files.js";

/** Options for a folder on disk. */
export interface FileDirectoryOptions {
  /** Whether to create the folder and its parents if they do not exist. Default `false`. */
  readonly create?: boolean | undefined;
  /** Whether written and renamed files are synced to the disk; see `FileSinkOptions`. Default `true`. */
  readonly sync?: boolean | undefined;
}

/** Number of entries requested from the system at a time. */
const LIST_AT_ONCE = 256;

/**
 * The folder at a path or `file:` URL.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no such folder; `E_IO`: not a folder, or it cannot be created; `E_UNSUPPORTED`: no file
 *   system here
 */
export async function fileDirectory(
  location: string | URL,
  { create = false, sync = true }: FileDirectoryOptions = {},
): Promise<ByteDirectory> {
  const name = pathOf(location);
  const { mkdir, opendir, rename, rm } = nodeFiles();
  const { join } = nodeModule("node:path");
  const pathTo = (file: string): string => join(name, checkFileName(file));
  await attempt("cannot open the directory", name, async () => {
    if (create) {
      await mkdir(name, { recursive: true });
    }
    await requireFolder(name);
  });
  return {
    name,
    list: () =>
      attempt("cannot list the directory", name, async () => {
        const files: string[] = [];
        // Not `readdir`: its entries of a million files take more memory than all other data about them.
        for await (const entry of await opendir(name, { bufferSize: LIST_AT_ONCE })) {
          if (entry.isFile()) {
            files.push(entry.name);
          }
        }
        return files;
      }),
    openSource: async (file) => fileSource(pathTo(file)),
    createSink: async (file, options) => fileSink(pathTo(file), { sync, ...options }),
    sync: async () => {
      if (sync) {
        await syncFolder(name);
      }
    },
    rename: async (from, to) => {
      const [source, target] = [pathTo(from), pathTo(to)];
      return attempt("cannot rename the file", source, () => rename(source, target));
    },
    remove: async (file) => {
      const path = pathTo(file);
      return attempt("cannot remove the file", path, () => rm(path, { force: true }));
    },
    lock: async (file) => takeFileLock(pathTo(file), pathTo(`.cfile-${file}.tmp`)),
  };
}
